import { createHash, hash } from 'node:crypto';
import { roundHasher } from './round-hasher.ts';

const ROUNDS = 1000;

/** Order in which an md5-crypt or sun-md5 hash contains the bytes of its digest. */
const MD5_CRYPT_ORDER = [12, 6, 0, 13, 7, 1, 14, 8, 2, 15, 9, 3, 5, 10, 4, 11] as const;

const inOrder = (digest: Uint8Array, order: readonly number[]) =>
  Buffer.from(order.map((index) => digest[index] ?? 0));

/**
 * Computes Poul-Henning Kamp's MD5 crypt. Returns the digest in MD5_CRYPT_ORDER. `magic`, the prefix of the hash, is
 * digested, too.
 */
export async function md5Crypt(password: Buffer, salt: Buffer, magic: string): Promise<Buffer> {
  const md5 = await roundHasher('md5');
  const alternate = md5(password, salt, password);
  const repeated = Buffer.alloc(password.length, alternate);
  // md5-crypt also digests a byte for each binary digit of the password's length: NUL for 1, the first byte
  // of the password for 0. The lowest digit comes first.
  const ofLength: number[] = [];
  for (let length = password.length; length > 0; length >>= 1) {
    ofLength.push(length % 2 === 1 ? 0 : (password[0] ?? 0));
  }
  const first = md5(password, Buffer.from(magic), salt, repeated, Buffer.from(ofLength));
  const digest = cryptRounds({ rounds: ROUNDS, first, password, salt, digestOf: (input) => md5(input) });
  return inOrder(digest, MD5_CRYPT_ORDER);
}

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 20;

/** Order of digest bytes in a sha1-crypt hash. Byte 0 is repeated to complete the last group. */
const ORDER = [2, 1, 0, 5, 4, 3, 8, 7, 6, 11, 10, 9, 14, 13, 12, 17, 16, 15, 0, 19, 18];

/** Computes NetBSD's sha1-crypt: HMAC-SHA1 applied to its own result. Returns the digest in the order of a hash. */
export async function sha1Crypt(password: Buffer, salt: Buffer, rounds: number): Promise<Buffer> {
  const sha1 = await roundHasher('sha1');
  const key = Buffer.alloc(BLOCK_BYTES);
  key.set(password.length > BLOCK_BYTES ? sha1(password) : password);
  const inner = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);
  const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);
  for (const [index, byte] of key.entries()) {
    inner[index] = byte ^ 0x36;
    outer[index] = byte ^ 0x5c;
  }
  let state = sha1(inner.subarray(0, BLOCK_BYTES), salt, Buffer.from(`$sha1$${rounds}`));
  for (let round = 1; ; round += 1) {
    outer.set(state, BLOCK_BYTES);
    state = sha1(outer);
    if (round >= rounds) break;
    inner.set(state, BLOCK_BYTES);
    state = sha1(inner);
  }
  return Buffer.from(ORDER.map((index) => state[index] ?? 0));
}

export type ShaCryptDigest = 'sha256' | 'sha512';

/**
 * Order of digest bytes in a sha-crypt hash: groups of three that are a third of the digest apart. Each group
 * starts one byte later, with the order of its three bytes rotated.
 */
function orderOf(bytes: number): number[] {
  const third = Math.floor(bytes / 3);
  const turn = bytes === 32 ? 2 : 1;
  return Array.from({ length: bytes }, (_, index) => {
    const group = Math.floor(index / 3);
    return group < third ? ((2 - (index % 3) + group * turn) % 3) * third + group : index;
  });
}

interface ShaCryptInput {
  digest: ShaCryptDigest;
  password: Buffer;
  salt: Buffer;
  rounds: number;
}

/**
 * Computes Ulrich Drepper's SHA crypt (SHA-crypt.txt, 2008). Returns the digest in the order of a hash. One-shot
 * digests of OpenSSL are as fast as WebAssembly for short passwords and twice as fast for long ones.
 */
export function shaCrypt({ digest, password, salt, rounds }: ShaCryptInput): Buffer {
  const digestOf = (input: Uint8Array) => hash(digest, input, 'buffer');
  const alternate = digestOf(Buffer.concat([password, salt, password]));
  const begin = createHash(digest).update(password).update(salt);
  begin.update(Buffer.alloc(password.length, alternate));
  for (let length = password.length; length > 0; length >>= 1) {
    begin.update(length % 2 === 1 ? alternate : password);
  }
  const first = begin.digest();
  // This step takes quadratic time in the length of the password, so the verifiers limit the length.
  const ofPassword = digestOf(Buffer.concat(Array.from(password, () => password)));
  const ofSalt = digestOf(Buffer.concat(Array.from({ length: 16 + (first[0] ?? 0) }, () => salt)));
  const last = cryptRounds({
    rounds,
    first,
    password: Buffer.alloc(password.length, ofPassword),
    salt: Buffer.alloc(salt.length, ofSalt),
    digestOf,
  });
  return inOrder(last, orderOf(last.length));
}

/** Inputs of the rounds that md5-crypt and sha-crypt share. */
interface CryptRounds {
  rounds: number;
  first: Uint8Array;
  /** The password, or what takes its place: sha-crypt digests a text of the same length instead. */
  password: Uint8Array;
  salt: Uint8Array;
  digestOf(input: Uint8Array): Uint8Array;
}

/**
 * Number of rounds after which the order of the digested inputs repeats. The order depends on whether the number of the
 * round is divisible by 2, 3 and 7.
 */
const CYCLE = 42;

/** Runs the rounds of md5-crypt, which sha-crypt adopted. The inputs of one cycle are built once. */
function cryptRounds({ rounds, first, password, salt, digestOf }: CryptRounds): Uint8Array {
  const inputs = Array.from({ length: CYCLE }, (_, round) => {
    const isOdd = round % 2 === 1;
    const middle = [...(round % 3 === 0 ? [] : [salt]), ...(round % 7 === 0 ? [] : [password])];
    const input = Buffer.concat(isOdd ? [password, ...middle, first] : [first, ...middle, password]);
    return { input, at: isOdd ? input.length - first.length : 0 };
  });
  let digest = first;
  for (let start = 0; start < rounds; start += CYCLE) {
    const left = rounds - start;
    for (const { input, at } of left < CYCLE ? inputs.slice(0, left) : inputs) {
      input.set(digest, at);
      digest = digestOf(input);
    }
  }
  return digest;
}

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

/**
 * Computes Alec Muffett's MD5 crypt of Solaris. Returns the digest in MD5_CRYPT_ORDER. `setting` is the hash before its
 * digest.
 */
export async function sunMd5(password: Buffer, setting: string, rounds: number): Promise<Buffer> {
  const md5 = await roundHasher('md5');
  let digest = md5(password, Buffer.from(setting));
  for (let round = 0; round < rounds; round += 1) {
    const count = Buffer.from(String(round));
    digest = coinToss(digest, round) ? md5(digest, HAMLET, count) : md5(digest, count);
  }
  return inOrder(digest, MD5_CRYPT_ORDER);
}
