import { defineAlgorithm, type HashAlgorithm } from '../algorithm.ts';
import { CRYPT64_BIG, cryptDigit, type Encoding, TEXT } from '../formats/encodings.ts';
import { bytesOf, type HashPart } from '../formats/hash-part.ts';
import { HashPattern } from '../formats/hash-pattern.ts';
import { bigCrypt, crypt16, desCrypt } from '../kdf/des-crypt.ts';
import { isTyped, type PasswordReading } from '../kdf/password-reading.ts';
import type { HashCost } from '../verifier.ts';

interface DesHash {
  salt: HashPart;
  digest: HashPart;
}

const BLOCK_BYTES = 8;
const MAX_BLOCKS = 16;
const BLOCK_MS = 0.15;
export const DES_MEMORY_BYTES = 64 * 1024;

/** Returns the number of a salt in the digits of crypt(3) (`./0-9A-Za-z`), the lowest first. */
export const saltNumber = (text: string) =>
  [...text].reduceRight((value, digit) => value * 64 + cryptDigit(digit), 0);

function cPrefix(password: Buffer, bytes: number): Buffer {
  const end = password.indexOf(0);
  return password.subarray(0, Math.min(bytes, end === -1 ? password.length : end));
}

const desReading = (bytes: number): PasswordReading => ({
  of: (password) => cPrefix(password, bytes),
  isOnly: (password) => password.length < bytes && !password.includes(0) && !hasEightBitForm(password, bytes),
});

export const SEVEN_BITS: PasswordReading = {
  of: (password) => password,
  isOnly: (password) => !hasEightBitForm(password, Number.POSITIVE_INFINITY),
};

/**
 * Returns whether another text has the same lower seven bits in each byte. DES reads `é` as `C)`, so every
 * text with characters beyond ASCII is equivalent to an ASCII one. A password is padded with zeros up to
 * `bytes`, or to the end of its last block. Bytes past `bytes` can be anything.
 */
function hasEightBitForm(password: Buffer, bytes: number): boolean {
  const isAscii = password.every((byte) => byte < 128);
  const end = Number.isFinite(bytes) ? bytes : Math.ceil(password.length / BLOCK_BYTES) * BLOCK_BYTES;
  const following = (at: number): readonly number[] => {
    if (at >= end) return Number.isFinite(bytes) ? CONTINUATION : [];
    const byte = (password[at] ?? 0) | 0x80;
    return byte < 0xc0 ? [byte] : [];
  };
  return !isAscii || password.some((byte, at) => beginsCharacter(byte | 0x80, at, following));
}

const CONTINUATION = Array.from({ length: 64 }, (_, bits) => 0x80 | bits);

/** `following` returns the bytes that may stand at a position after the first byte of a character. */
function beginsCharacter(first: number, at: number, following: (at: number) => readonly number[]): boolean {
  if (first < 0xc2 || first > 0xf4) return false;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  let characters = [[first]];
  for (let index = 1; index < length; index += 1) {
    characters = characters.flatMap((bytes) => following(at + index).map((byte) => [...bytes, byte]));
  }
  return characters.some((bytes) => isTyped(Buffer.from(bytes)));
}

/** Digests of DES-based hashes: blocks of eight bytes, each encoded separately. */
const BLOCKS: Encoding = {
  check(text) {
    const lengths = blocksOf(text).map(CRYPT64_BIG.check);
    const problem = lengths.find((length) => typeof length !== 'number');
    return problem ?? lengths.length * BLOCK_BYTES;
  },
  decode: (text) => Buffer.concat(blocksOf(text).map(CRYPT64_BIG.decode)),
  zeros: CRYPT64_BIG.zeros,
};
const blocksOf = (text: string) => text.match(/.{1,11}/gs) ?? [];

/** A tripcode's digest lacks the first digit of its DES block and therefore six bits. */
const TRIPCODE: Encoding = {
  check: (text) => CRYPT64_BIG.check(`.${text}`),
  decode: (text) => CRYPT64_BIG.decode(`.${text}`),
  zeros: CRYPT64_BIG.zeros,
};

interface DesRow {
  name: string;
  displayName: string;
  looksLike: string;
  source: RegExp;
  digest: Encoding;
  readBytes(blocks: number): number;
  of(password: Buffer, hash: DesHash): Buffer | undefined;
  runsOn: NonNullable<HashCost['runsOn']>;
}

function defineDes(row: DesRow): HashAlgorithm<never, never> {
  const { name, displayName, looksLike, source, digest, readBytes, of, runsOn } = row;
  const pattern = new HashPattern(source, { parts: { salt: TEXT, digest }, looksLike });
  const blocksIn = (hash: DesHash) => hash.digest.length / BLOCK_BYTES;
  return defineAlgorithm<DesHash>({
    name,
    displayName,
    looksLike: `${looksLike}, all of \`./0-9A-Za-z\``,
    strength: 'broken',
    reference: {
      formula: '0.15 ms × blocks of 11 characters',
      examples: 'one block: 0.15 ms; 16: 2.4 ms',
      measured: 'one block: 0.09 ms',
    },
    shape: new RegExp(`^(?:${source.source})$`),
    // Every word of the right length has the shape of a DES-based hash.
    byNameOnly: true,
    parser: () => (encoded) => {
      const groups = pattern.read(encoded);
      return { salt: pattern.part(groups, 'salt'), digest: pattern.part(groups, 'digest') };
    },
    cost: (hash) => ({ memoryBytes: DES_MEMORY_BYTES, ms: blocksIn(hash) * BLOCK_MS, runsOn }),
    decoy: (_parsed, encoded) => pattern.zeroed(encoded),
    password: (hash) => desReading(readBytes(blocksIn(hash))),
    compute: {
      digest: (hash) => bytesOf(hash.digest),
      of: (hash, password) => of(password, hash),
    },
  });
}

const SALT = /(?<salt>[./0-9A-Za-z]{2})/.source;

/** Families of hashes made with a DES whose expansion depends on the salt. They look like ordinary words. */
export const DES_CRYPT = [
  defineDes({
    name: 'des-crypt',
    displayName: 'DES crypt',
    looksLike: '`<salt, 2><digest, 11>`',
    source: new RegExp(`${SALT}(?<digest>[./0-9A-Za-z]{11})`),
    digest: BLOCKS,
    readBytes: () => 8,
    of: (password, { salt }) => desCrypt(password, saltNumber(salt.text)),
    runsOn: 'event-loop',
  }),
  defineDes({
    name: 'bigcrypt',
    displayName: 'bigcrypt',
    looksLike: '`<salt, 2><digest, 11 for each 8 bytes of the password>`',
    source: new RegExp(`${SALT}(?<digest>(?:[./0-9A-Za-z]{11}){1,${MAX_BLOCKS}})`),
    digest: BLOCKS,
    // Below MAX_BLOCKS, a longer password would make a longer bigcrypt hash, so no byte of a matching
    // password is ignored.
    readBytes: (blocks) => (blocks < MAX_BLOCKS ? Number.POSITIVE_INFINITY : MAX_BLOCKS * BLOCK_BYTES),
    of(password, { salt, digest }) {
      const blocks = Math.max(1, Math.ceil(password.length / BLOCK_BYTES));
      return blocks * BLOCK_BYTES === digest.length ? bigCrypt(password, saltNumber(salt.text)) : undefined;
    },
    runsOn: 'worker',
  }),
  defineDes({
    name: 'crypt16',
    displayName: 'crypt16',
    looksLike: '`<salt, 2><digest, 22>`',
    source: new RegExp(`${SALT}(?<digest>[./0-9A-Za-z]{22})`),
    digest: BLOCKS,
    readBytes: () => 16,
    of: (password, { salt }) => crypt16(password, saltNumber(salt.text)),
    runsOn: 'event-loop',
  }),
  defineDes({
    name: 'tripcode',
    displayName: 'Tripcode',
    looksLike: '`<digest, 10>`',
    source: /(?<salt>)(?<digest>[./0-9A-Za-z]{10})/,
    digest: TRIPCODE,
    readBytes: () => 8,
    of: tripcode,
    runsOn: 'event-loop',
  }),
];

/** Replaces punctuation in the salt of a tripcode. Characters below and above that range become dots. */
const SALT_LETTERS = new Map(
  [...':;<=>?@[\\]^_`'].map((mark, index) => [mark, 'ABCDEFGabcdef'.charAt(index)]),
);

/**
 * The salt of a tripcode is the second and third character of the password. An empty password has no
 * tripcode.
 */
function tripcode(password: Buffer): Buffer | undefined {
  if (password.length === 0) return undefined;
  const characters = [...`${password.toString('latin1')}H.`].slice(1, 3);
  const salt = characters.map((one) => SALT_LETTERS.get(one) ?? (/[./0-9A-Za-z]/.test(one) ? one : '.'));
  const block = desCrypt(password, saltNumber(salt.join('')));
  return Buffer.from(block.map((byte, index) => (index === 0 ? byte & 3 : byte)));
}
