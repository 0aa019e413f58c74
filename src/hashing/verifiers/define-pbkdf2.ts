import { defineAlgorithm, type HashAlgorithm, type WholeNumberSetting } from '../algorithm.ts';
import { parseCost } from '../formats/cost-bounds.ts';
import { bytesOf, checkLength, type HashPart } from '../formats/hash-part.ts';
import { PBKDF2_DIGESTS, type Pbkdf2Digest, pbkdf2AsFarAsNeeded } from '../kdf/pbkdf2.ts';
import { HashRefused, type Strength } from '../verifier.ts';

/** What a dialect says, whatever its spelling. */
export interface Pbkdf2Hash {
  digest: Pbkdf2Digest;
  iterations: number;
  salt: HashPart;
  hash: HashPart;
}

/** What the reader of a dialect returns. `iterations` is checked by the caller. */
export interface Pbkdf2Text extends Omit<Pbkdf2Hash, 'iterations'> {
  iterations: string;
}

/** One dialect: how it is called, how it is spelled, and what is done to the password first. */
export interface Pbkdf2Dialect {
  name: string;
  aliases?: readonly string[];
  displayName?: string;
  looksLike: string;
  shape: RegExp;
  byNameOnly?: true;
  /** Returns the function that takes a string apart. @throws {HashRefused} `format` from the function */
  reader(): (encoded: string) => Pbkdf2Text;
  decoy(encoded: string): string;
  /** Left out: the password as it came. Undefined: it cannot match. */
  password?(password: Buffer): Buffer | undefined;
  /** Left out: exactly these bytes are hashed. */
  readsExactly?(password: Buffer): boolean;
  strength?: Strength;
}

export type Pbkdf2Limit = 'pbkdf2_max_iterations';

const LIMITS: Record<Pbkdf2Limit, WholeNumberSetting> = {
  pbkdf2_max_iterations: {
    min: 1,
    max: 100_000_000,
    default: 2_000_000,
    description: 'Most iterations of an imported PBKDF2 hash, whatever its dialect.',
  },
};

const HASH_BYTES = { min: 4, max: 1024 };
/** Iterations times blocks: a long hash of few iterations costs as much as a short one of many. */
const MAX_BLOCK_ITERATIONS = 8_000_000;
const MEMORY_BYTES = 8 * 1024;

/** Time for one iteration of one block, in ms. */
export const PBKDF2_ITERATION_MS: Record<Pbkdf2Digest, number> = {
  md5: 0.0004,
  sha1: 0.0003,
  sha224: 0.0003,
  sha256: 0.0003,
  sha384: 0.0008,
  sha512: 0.0008,
  'sha3-224': 0.0011,
  'sha3-256': 0.0011,
  'sha3-384': 0.0011,
  'sha3-512': 0.0011,
};

/** From so many iterations on it takes long enough today (OWASP, 2023). */
const STRONG_ITERATIONS: Partial<Record<Pbkdf2Digest, number>> = { sha256: 600_000, sha512: 210_000 };

export { LIMITS as PBKDF2_LIMITS };

export function definePbkdf2(dialect: Pbkdf2Dialect): HashAlgorithm<Pbkdf2Limit, never> {
  const { reader, decoy, password: prepare, readsExactly, ...traits } = dialect;
  return defineAlgorithm<Pbkdf2Hash, Pbkdf2Limit>({
    displayName: dialect.name,
    ...traits,
    strength: dialect.strength ?? 'legacy',
    reference: {
      formula: '0.45 µs × iterations × blocks of the digest; 0.4 with SHA-1, 1.3 with SHA-512',
      examples: 'SHA-256, 600,000: 270 ms; SHA-512, 210,000: 273 ms',
      measured: 'SHA-256, 600,000: 267 ms; SHA-512, 210,000: 280 ms',
    },
    limits: LIMITS,
    parser({ settings }) {
      const read = reader();
      return (encoded) => bounded(read(encoded), settings.pbkdf2_max_iterations);
    },
    cost: ({ iterations, digest, hash }) => ({
      memoryBytes: MEMORY_BYTES,
      ms: iterations * blocksOf(digest, hash) * PBKDF2_ITERATION_MS[digest],
    }),
    strengthOf: ({ digest, iterations }) =>
      dialect.strength ??
      (iterations >= (STRONG_ITERATIONS[digest] ?? Number.POSITIVE_INFINITY) ? 'strong' : 'legacy'),
    decoy: (_parsed, encoded) => decoy(encoded),
    describe: ({ digest, iterations, salt, hash }) => ({
      digest,
      iterations,
      saltBytes: salt.length,
      hashBytes: hash.length,
    }),
    compute: {
      digest: ({ hash }) => bytesOf(hash),
      of({ digest, iterations, salt, hash }, raw) {
        const password = prepare === undefined ? raw : prepare(raw);
        if (password === undefined) return undefined;
        return pbkdf2AsFarAsNeeded({ password, salt: bytesOf(salt), iterations, digest }, bytesOf(hash));
      },
    },
    ...(readsExactly && { readsExactly: (_parsed, password) => readsExactly(password) }),
  });
}

const blocksOf = (digest: Pbkdf2Digest, { length }: HashPart) => Math.ceil(length / PBKDF2_DIGESTS[digest]);

function bounded({ iterations: text, ...parts }: Pbkdf2Text, max: number): Pbkdf2Hash {
  checkLength('hash', parts.hash, HASH_BYTES);
  const iterations = parseCost(text, { name: 'iterations', min: 1, max, setting: 'pbkdf2_max_iterations' });
  if (iterations * blocksOf(parts.digest, parts.hash) > MAX_BLOCK_ITERATIONS) {
    throw new HashRefused(
      'cost',
      `iterations times blocks of the hash are above the limit of ${MAX_BLOCK_ITERATIONS}`,
    );
  }
  return { ...parts, iterations };
}
