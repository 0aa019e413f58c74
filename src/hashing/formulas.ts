import * as library from 'node:crypto';
import { promisify } from 'node:util';
import { isPart, packedPart } from './encodings.ts';
import {
  bytes,
  type Formula,
  type HashCost,
  type Inputs,
  number,
  type PortableHash,
  part,
  refuseUnless,
} from './form.ts';
import {
  DIGEST_BYTES,
  type DigestName,
  type DigestPart,
  digestFunction,
  type Pbkdf2Digest,
} from './kdf/digests.ts';
import { isOnlyHmacKey } from './kdf/password-reading.ts';
import { MAX_EVENT_LOOP_ROUNDS, type RoundDigest, roundHasher, roundMs } from './kdf/round-hasher.ts';
import type { OwnParts, Parts } from './template.ts';

const pbkdf2Async = promisify(library.pbkdf2);

interface Pbkdf2Input {
  password: Buffer;
  salt: Buffer;
  iterations: number;
  digest: Pbkdf2Digest;
}

/**
 * Computes PBKDF2, but only the first block if that differs from `expected`. Each further block costs as much as the
 * first, and a key of 512 bytes with SHA-256 has sixteen.
 */
export async function pbkdf2AsFarAsNeeded(input: Pbkdf2Input, expected: Buffer): Promise<Buffer> {
  const blockBytes = Math.min(DIGEST_BYTES[input.digest], expected.length);
  const first = await pbkdf2Key(input, blockBytes);
  if (blockBytes === expected.length || !first.equals(expected.subarray(0, blockBytes))) return first;
  return pbkdf2Key(input, expected.length);
}

export const pbkdf2Key = ({ password, salt, iterations, digest }: Pbkdf2Input, bytes: number) =>
  pbkdf2Async(password, salt, iterations, bytes, digest);

const scryptAsync = promisify<Buffer, Buffer, number, library.ScryptOptions, Buffer>(library.scrypt);

interface ScryptCosts {
  log2N: number;
  r: number;
  p: number;
}

/** Milliseconds of scrypt for one of its N * r * p blocks of 128 bytes. */
const BLOCK_MS = 0.0003;
/** Milliseconds to make 32 of its first r * p * 128 bytes by PBKDF2, and more for each byte of the salt. */
const INPUT_MS = 0.0004;
const SALT_BYTE_MS = 0.000_000_7;
/** Milliseconds to digest one of its last r * p * 128 bytes, which is repeated for each 32 bytes of the key. */
const OUTPUT_BYTE_MS = 0.000_004;

/**
 * Returns the maximum of log2 N. RFC 7914, section 2 requires N < 2^(128 * r / 8), and OpenSSL reports a larger N as
 * "memory limit exceeded".
 */
export const maxLog2N = (r: number) => 16 * r - 1;

/**
 * Returns the cost of scrypt. Memory is counted as OpenSSL does: N + 2 blocks for work, and `p` for the input. Each
 * call of scrypt states this memory as its limit, because Node.js permits only 32 MiB by default.
 */
export const scryptCost = (
  { log2N, r, p }: ScryptCosts,
  saltBytes: number,
  keyBytes: number,
): { memoryBytes: number; ms: number } => ({
  memoryBytes: memoryOf({ log2N, r, p }),
  ms:
    r * p * 2 ** log2N * BLOCK_MS +
    r * p * 4 * (INPUT_MS + saltBytes * SALT_BYTE_MS) +
    r * p * 128 * Math.ceil(keyBytes / 32) * OUTPUT_BYTE_MS,
});

const memoryOf = ({ log2N, r, p }: ScryptCosts) => 128 * r * (2 ** log2N + 2 + p);

/** Returns a key of `length` bytes. */
export function scryptKey(
  password: Buffer,
  { salt, length, ...costs }: ScryptCosts & { salt: Buffer; length: number },
): Promise<Buffer> {
  const { log2N, r, p } = costs;
  return scryptAsync(password, salt, length, { N: 2 ** log2N, r, p, maxmem: memoryOf(costs) });
}

/** Memory in bytes for the state of a hash function and for copies of the password. */
export const DIGEST_MEMORY_BYTES = 8 * 1024;

/** Cost of a few digests on the event loop, for passwords of up to 1 KiB. */
export const DIGEST_COST: HashCost = { memoryBytes: DIGEST_MEMORY_BYTES, ms: 0.05, runsOn: 'event-loop' };

const NOTHING = Buffer.alloc(0);

/** Returns the parts of a packed value: `first` has `size` bytes, and `second` has the others. */
export const split = (packed: Buffer, size: number, first = 'salt', second = 'hash'): Parts => ({
  [first]: packedPart(packed.subarray(0, size)),
  [second]: packedPart(packed.subarray(size)),
});

const saltAndHash = (parts: Parts) => ({ salt: bytes(parts, 'salt'), hash: bytes(parts, 'hash') });

export type DigestFormula = (inputs: Inputs) => Buffer | undefined;

/** Formula of one digest or a few, which take microseconds. */
export const digest = (of: DigestFormula, portable?: Formula['portable']): Formula => ({
  of,
  cost: () => DIGEST_COST,
  strength: 'broken',
  time: '0.05 ms',
  ...(portable && { portable }),
});

/** Returns the portable form of a single digest of salt and password. */
export const plainDigest = (name: DigestName, isSaltFirst: boolean, parts: Parts): PortableHash => ({
  kind: 'digest',
  digest: name,
  isSaltFirst,
  ...saltAndHash(parts),
});

/** The longest password that a request can have: 65,536 characters of three bytes each. */
const LONGEST_PASSWORD = Buffer.alloc(3 * 65_536);
const HEX_MS = 0.0008;

type RoundInput = readonly DigestPart[];

interface Rounds {
  first(inputs: Inputs): RoundInput;
  /** Input of each further round. Defaults to the previous digest. */
  next?(last: Uint8Array, inputs: Inputs): RoundInput;
  /** Whether each round digests the previous result in hexadecimal digits. */
  inHex?: boolean;
  /**
   * Maximum bytes of a password; longer ones never match. Required if every round digests the password, because its
   * cost would have no bound otherwise.
   */
  maxPasswordBytes?: number;
  examples: string;
}

const ROUNDS_TIME =
  'rounds × 0.4 µs with MD5, 0.6 with SHA-1 and SHA-256, 0.8 with SHA-512, and 1.5 to 3.6 for each 1000 bytes';

/** Formula of a repeated digest. The hash has the parts `digest` and `rounds`. */
export function rounds({
  first,
  next = (last) => [last],
  inHex,
  maxPasswordBytes,
  examples,
}: Rounds): Formula {
  const handOn = (last: Uint8Array) => (inHex ? Buffer.from(Buffer.from(last).toString('hex')) : last);
  return {
    async of(inputs) {
      if (inputs.password.length > (maxPasswordBytes ?? Number.POSITIVE_INFINITY)) return undefined;
      const digestOf = await roundHasher(inputs.parts.digest as RoundDigest);
      let last = digestOf(...asBytes(first(inputs)));
      const count = number(inputs.parts, 'rounds');
      for (let round = 1; round < count; round += 1) last = digestOf(...asBytes(next(handOn(last), inputs)));
      return Buffer.from(last);
    },
    // The cost is that of the longest password, because the length at a sign-in is not known beforehand.
    cost(parts) {
      const name = parts.digest as RoundDigest;
      const password = LONGEST_PASSWORD.subarray(0, maxPasswordBytes);
      const salt = Buffer.alloc(isPart(parts.salt) ? parts.salt.length : 0);
      const inputs = { password, salt, user: NOTHING, secret: NOTHING, hash: NOTHING, parts };
      const last = Buffer.alloc(DIGEST_BYTES[name] * (inHex ? 2 : 1));
      const nextMs = roundMs(name, lengthOf(next(last, inputs))) + (inHex ? HEX_MS : 0);
      const count = number(parts, 'rounds');
      return {
        memoryBytes: 2 * password.length,
        ms: roundMs(name, lengthOf(first(inputs))) + (count - 1) * nextMs,
        runsOn: count > MAX_EVENT_LOOP_ROUNDS ? 'process' : 'event-loop',
      };
    },
    // A hash with few rounds counts as broken, even if the family's usual hashes have many.
    strength: (parts) => (number(parts, 'rounds') > MAX_EVENT_LOOP_ROUNDS ? 'legacy' : 'broken'),
    time: `${ROUNDS_TIME}${inHex ? ', 0.8 more as the digests are handed on in hexadecimal' : ''}; ${examples}`,
  };
}

const asBytes = (input: RoundInput) => input.map((one) => (typeof one === 'string' ? Buffer.from(one) : one));
const lengthOf = (input: RoundInput) => input.reduce((sum, { length }) => sum + length, 0);

/** Milliseconds of one PBKDF2 iteration for one block of output. */
function iterationMs(name: Pbkdf2Digest): number {
  if (name.startsWith('sha3-')) return 0.0011;
  if (name === 'md5') return 0.0004;
  return name === 'sha384' || name === 'sha512' ? 0.0008 : 0.0003;
}

/** Number of PBKDF2 iterations from which a hash counts as strong (OWASP, 2023). */
const STRONG_ITERATIONS: Partial<Record<Pbkdf2Digest, number>> = { sha256: 600_000, sha512: 210_000 };
const HASH_BYTES = { min: 4, max: 1024 };

/** @throws {HashRefused} `format` */
function checkedLength(parts: Parts): number {
  const { length } = part(parts, 'hash');
  const { min, max } = HASH_BYTES;
  refuseUnless(length >= min && length <= max, `hash must be ${min} to ${max} bytes long, got ${length}`);
  return length;
}

export const pbkdf2Cost = (name: Pbkdf2Digest, iterations: number, keyBytes: number): HashCost => ({
  memoryBytes: DIGEST_MEMORY_BYTES,
  ms: iterations * Math.ceil(keyBytes / DIGEST_BYTES[name]) * iterationMs(name),
});

/** Function that a system applies to a key of `keyBytes` bytes before it stores the result. */
interface Seal<Context> {
  keyBytes: number;
  of(key: Buffer, context: Context): Buffer;
}

/**
 * Formula of PBKDF2. The hash has the parts `digest` and `iterations`. With `saltHasSecret`, a secret follows the salt.
 */
export const pbkdf2 = (seal?: Seal<Buffer>, saltHasSecret = false): Formula => ({
  async of({ password, salt, secret, hash, parts }) {
    const [name, iterations] = [parts.digest as Pbkdf2Digest, number(parts, 'iterations')];
    const wholeSalt = saltHasSecret ? Buffer.concat([salt, secret]) : salt;
    const input = { password, salt: wholeSalt, iterations, digest: name };
    if (seal === undefined) return pbkdf2AsFarAsNeeded(input, hash);
    return seal.of(await pbkdf2Key(input, seal.keyBytes), password);
  },
  cost: (parts) =>
    pbkdf2Cost(
      parts.digest as Pbkdf2Digest,
      number(parts, 'iterations'),
      Math.max(checkedLength(parts), seal?.keyBytes ?? 0),
    ),
  strength: ({ digest: name, iterations }) =>
    Number(iterations) >= (STRONG_ITERATIONS[name as Pbkdf2Digest] ?? Number.POSITIVE_INFINITY)
      ? 'strong'
      : 'legacy',
  time: '0.3 µs × iterations × blocks of the digest; 0.4 with MD5, 0.8 with SHA-384 and SHA-512, 1.1 with SHA-3',
  // With a seal, the hash depends on the password itself, too. Another password with the same HMAC key then does
  // not match.
  isOnlyKey: (key, parts, isUtf16) =>
    seal !== undefined || isOnlyHmacKey(parts.digest as Pbkdf2Digest, key, isUtf16),
  portable(parts) {
    // Few other systems accept an empty salt.
    if (part(parts, 'salt').length === 0 || seal !== undefined || saltHasSecret) return undefined;
    const [name, iterations] = [parts.digest as Pbkdf2Digest, number(parts, 'iterations')];
    return { kind: 'pbkdf2', digest: name, iterations, ...saltAndHash(parts) };
  },
});

/** Formula of scrypt. The hash has the parts `r`, `p` and `log2N`, or `N`, which `withLog2N` replaces. */
export const scrypt = (seal?: Seal<Parts>): Formula => ({
  async of({ password, salt, hash, parts }) {
    const length = seal?.keyBytes ?? hash.length;
    const key = await scryptKey(password, { ...costsOf(parts), salt, length });
    return seal?.of(key, parts) ?? key;
  },
  cost(parts) {
    checkedLength(parts);
    const costs = costsOf(parts);
    refuseUnless(costs.log2N <= maxLog2N(costs.r), 'log2 N must be less than 16 times r');
    return scryptCost(costs, part(parts, 'salt').length, seal?.keyBytes ?? part(parts, 'hash').length);
  },
  strength: 'strong',
  time: '0.3 µs × N × r × p, and 3 µs × r × p, more with a long salt; N 16384, r 8: 39 ms; r 16: 79 ms',
  isOnlyKey: (key, _parts, isUtf16) => isOnlyHmacKey('sha256', key, isUtf16),
  portable: (parts) =>
    part(parts, 'salt').length > 0 && seal === undefined
      ? { kind: 'scrypt', ...costsOf(parts), ...saltAndHash(parts) }
      : undefined,
});

const costsOf = ({ log2N, r, p }: Parts) => ({ log2N: Number(log2N), r: Number(r), p: Number(p) });

/**
 * Replaces `N` of a hash by its logarithm.
 * @throws {HashRefused} `format` if N is not a power of two
 */
export function withLog2N(parts: OwnParts): OwnParts {
  const log2N = Math.log2(Number(parts.N));
  refuseUnless(Number.isInteger(log2N) && log2N >= 1, 'N is not a power of two');
  parts.N = undefined;
  parts.log2N = log2N;
  return parts;
}

/** Milliseconds of one round on the event loop. The call of OpenSSL takes most of this time. */
const IN_PLACE_ROUND_MS = 0.003;
/**
 * Milliseconds of one round in a hashing process. These figures are higher than those of
 * `roundMs` and must not change: the computed cost decides whether a stored hash is accepted.
 */
const SALTED_ROUND_MS: Partial<Record<RoundDigest, number>> = { md5: 0.0008, sha384: 0.0012, sha512: 0.0012 };

/** Ways in which systems write the previous digest before they digest it again. */
const BETWEEN_ROUNDS: Readonly<Record<string, BufferEncoding>> = { hex: 'hex', base64: 'base64' };

/**
 * Formula of a salted digest with any number of rounds; most hashes have one. Few rounds are computed without
 * WebAssembly.
 */
export function saltedRounds(name: RoundDigest, inputOf: (inputs: Inputs) => readonly Buffer[]): Formula {
  const roundMs = SALTED_ROUND_MS[name] ?? 0.001;
  return {
    async of(inputs) {
      const count = number(inputs.parts, 'rounds');
      const hash = count > MAX_EVENT_LOOP_ROUNDS ? await roundHasher(name) : digestFunction(name);
      const written = BETWEEN_ROUNDS[String(inputs.parts.between)];
      let last = hash(...inputOf(inputs));
      for (let round = 1; round < count; round += 1)
        last = hash(written === undefined ? last : Buffer.from(Buffer.from(last).toString(written)));
      return Buffer.from(last);
    },
    cost(parts) {
      const count = number(parts, 'rounds');
      if (count <= MAX_EVENT_LOOP_ROUNDS)
        return { ...DIGEST_COST, ms: DIGEST_COST.ms + count * IN_PLACE_ROUND_MS };
      const slower = parts.between === undefined ? 1 : 2;
      const ms = DIGEST_COST.ms + count * roundMs * slower;
      return { memoryBytes: DIGEST_MEMORY_BYTES, ms, runsOn: 'process' };
    },
    strength: 'broken',
    time: `${roundMs * 1000} µs × rounds, and 0.05 ms; up to ${MAX_EVENT_LOOP_ROUNDS} rounds 3 µs × rounds`,
    portable: ({ order, encoding, between, ...parts }) =>
      order === 'sps' || encoding === 'utf16le' || parts.rounds !== 1 || between !== undefined
        ? undefined
        : plainDigest(name, order === 'sp', parts),
  };
}
