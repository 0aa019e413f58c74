import { inOrder, MD5_CRYPT_ORDER } from './crypts.ts';
import { roundHasher } from './round-hasher.ts';

/**
 * Hamlet's soliloquy, in the spelling of an old Gutenberg text, which some rounds of Solaris' MD5 crypt
 * digest.
 */
const HAMLET = Buffer.from(`To be, or not to be,--that is the question:--
Whether 'tis nobler in the mind to suffer
The slings and arrows of outrageous fortune
Or to take arms against a sea of troubles,
And by opposing end them?--To die,--to sleep,--
No more; and by a sleep to say we end
The heartache, and the thousand natural shocks
That flesh is heir to,--'tis a consummation
Devoutly to be wish'd. To die,--to sleep;--
To sleep! perchance to dream:--ay, there's the rub;
For in that sleep of death what dreams may come,
When we have shuffled off this mortal coil,
Must give us pause: there's the respect
That makes calamity of so long life;
For who would bear the whips and scorns of time,
The oppressor's wrong, the proud man's contumely,
The pangs of despis'd love, the law's delay,
The insolence of office, and the spurns
That patient merit of the unworthy takes,
When he himself might his quietus make
With a bare bodkin? who would these fardels bear,
To grunt and sweat under a weary life,
But that the dread of something after death,--
The undiscover'd country, from whose bourn
No traveller returns,--puzzles the will,
And makes us rather bear those ills we have
Than fly to others that we know not of?
Thus conscience does make cowards of us all;
And thus the native hue of resolution
Is sicklied o'er with the pale cast of thought;
And enterprises of great pith and moment,
With this regard, their currents turn awry,
And lose the name of action.--Soft you now!
The fair Ophelia!--Nymph, in thy orisons
Be all my sins remember'd.
\0`);

const bitOf = (digest: Uint8Array, bit: number) => ((digest[(bit >> 3) & 15] ?? 0) >> (bit & 7)) & 1;

/** Returns eight bits of the digest, whose positions the digest itself determines. */
function eightBits(digest: Uint8Array, from: number): number {
  let bits = 0;
  for (let index = 0; index < 8; index += 1) {
    const a = digest[(from + index) & 15] ?? 0;
    const b = digest[(from + index + 3) & 15] ?? 0;
    const place = digest[(a >> (b % 5)) & 15] ?? 0;
    bits |= bitOf(digest, (b >> (a & 7)) & 1 ? place >> 1 : place) << index;
  }
  return bits;
}

function coinToss(digest: Uint8Array, round: number): boolean {
  const x = eightBits(digest, 0) >> bitOf(digest, round);
  const y = eightBits(digest, 8) >> bitOf(digest, round + 64);
  return bitOf(digest, x) !== bitOf(digest, y);
}

/** Alec Muffett's MD5 crypt of Solaris, in MD5_CRYPT_ORDER. `setting` is the hash before its digest. */
export async function sunMd5(password: Buffer, setting: string, rounds: number): Promise<Buffer> {
  const md5 = await roundHasher('md5');
  let digest = md5(password, Buffer.from(setting));
  for (let round = 0; round < rounds; round += 1) {
    const count = Buffer.from(String(round));
    digest = coinToss(digest, round) ? md5(digest, HAMLET, count) : md5(digest, count);
  }
  return inOrder(digest, MD5_CRYPT_ORDER);
}
