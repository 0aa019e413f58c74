import {
  type DialectTraits,
  defineAlgorithm,
  type HashAlgorithm,
  hasShapeOf,
  type PossibleRepair,
  type WholeNumberSetting,
} from '../algorithm.ts';
import { parseCost } from '../formats/cost-bounds.ts';
import { bytesOf, checkLength, type HashPart } from '../formats/hash-part.ts';
import { BYTES, hmacKey, type PasswordReading } from '../kdf/password-reading.ts';
import { PBKDF2_DIGESTS, type Pbkdf2Digest, pbkdf2AsFarAsNeeded, pbkdf2Key } from '../kdf/pbkdf2.ts';
import { HashRefused, type Strength } from '../verifier.ts';

export interface Pbkdf2Hash {
  digest: Pbkdf2Digest;
  iterations: number;
  salt: HashPart;
  hash: HashPart;
  /**
   * Name of the syntax or version, such as `389 DS`, if the family has several that differ in more than their
   * text.
   */
  form?: string | undefined;
}

export interface Pbkdf2Text extends Omit<Pbkdf2Hash, 'iterations'> {
  iterations: string;
}

export interface Pbkdf2Dialect extends DialectTraits {
  /** @throws {HashRefused} `format` from the function */
  reader(): (encoded: string) => Pbkdf2Text;
  decoy(encoded: string, parsed: Pbkdf2Hash): string;
  password?: PasswordReading;
  /** Function that the system applies to the PBKDF2 key, of `keyBytes` bytes, before it is stored. */
  seal?: { keyBytes: number; of(key: Buffer, password: Buffer): Buffer };
  /** Whether the system may append a secret to the salt, which the operator then configures. */
  secret?: 'optional';
  strength?: Strength;
  repairs?(encoded: string): PossibleRepair[];
}

export type Pbkdf2Limit = 'pbkdf2_max_iterations';

export const PBKDF2_LIMITS: Record<Pbkdf2Limit, WholeNumberSetting> = {
  pbkdf2_max_iterations: {
    min: 1,
    max: 100_000_000,
    default: 2_000_000,
    description: 'Maximum iterations of an imported PBKDF2 hash of any dialect.',
  },
};

const HASH_BYTES = { min: 4, max: 1024 };
/** A long hash of few iterations costs as much as a short one of many. */
const MAX_BLOCK_ITERATIONS = 8_000_000;
const MEMORY_BYTES = 8 * 1024;

/** Milliseconds of one PBKDF2 iteration for one block of output. */
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

/** Number of PBKDF2 iterations from which a hash counts as strong (OWASP, 2023). */
const STRONG_ITERATIONS: Partial<Record<Pbkdf2Digest, number>> = { sha256: 600_000, sha512: 210_000 };

export function definePbkdf2(dialect: Pbkdf2Dialect): HashAlgorithm<Pbkdf2Limit, never> {
  const { reader, decoy, repairs, password: reading, seal, ...traits } = dialect;
  const blocksOf = ({ digest, hash }: Pick<Pbkdf2Hash, 'digest' | 'hash'>) =>
    Math.ceil((seal?.keyBytes ?? hash.length) / PBKDF2_DIGESTS[digest]);
  // A family without secrets may verify the inner hash of an envelope. It must not use the envelope's secret.
  const saltWith = (salt: Buffer, secret: Buffer) =>
    dialect.secret === undefined ? salt : Buffer.concat([salt, secret]);
  return defineAlgorithm<Pbkdf2Hash, Pbkdf2Limit>({
    displayName: dialect.name,
    ...traits,
    strength: dialect.strength ?? 'legacy',
    reference: {
      formula:
        '0.3 µs × iterations × blocks of the digest; 0.4 with MD5, 0.8 with SHA-384 and SHA-512, 1.1 with SHA-3',
      examples: 'SHA-256, 600,000: 180 ms; SHA-512, 210,000: 168 ms',
      measured:
        'MD5 0.35 to 0.38 µs, SHA-1 0.27 to 0.32, SHA-256 0.25 to 0.45, SHA-512 0.65 to 1.33, SHA-3 0.93 to 1.04',
    },
    limits: PBKDF2_LIMITS,
    parser({ settings }) {
      const read = reader();
      return (encoded) => {
        const text = read(encoded);
        return bounded(text, { blocks: blocksOf(text), max: settings.pbkdf2_max_iterations });
      };
    },
    cost: (parsed) => ({
      memoryBytes: MEMORY_BYTES,
      ms: parsed.iterations * blocksOf(parsed) * PBKDF2_ITERATION_MS[parsed.digest],
    }),
    // With `seal`, the hash depends on the password itself, too. Another password with the same HMAC key then
    // does not match.
    password: ({ digest }) => (seal === undefined ? hmacKey(digest, reading) : (reading ?? BYTES)),
    strengthOf: ({ digest, iterations }) =>
      dialect.strength ??
      (iterations >= (STRONG_ITERATIONS[digest] ?? Number.POSITIVE_INFINITY) ? 'strong' : 'legacy'),
    decoy: (parsed, encoded) => decoy(encoded, parsed),
    repairs: (encoded) => repairs?.(encoded).filter((repair) => hasShapeOf(dialect, repair.encoded)) ?? [],
    identity: ({ form: _, ...others }) => others,
    // Few other systems accept an empty salt.
    portable: ({ digest, iterations, salt, hash }) =>
      salt.length > 0 && reading === undefined && seal === undefined && dialect.secret === undefined
        ? { kind: 'pbkdf2', digest, iterations, salt: bytesOf(salt), hash: bytesOf(hash) }
        : undefined,
    describe: ({ digest, iterations, salt, hash, form }) => ({
      ...(form !== undefined && { form }),
      digest,
      iterations,
      saltBytes: salt.length,
      hashBytes: hash.length,
    }),
    compute: {
      digest: ({ hash }) => bytesOf(hash),
      async of({ digest, iterations, salt, hash }, password, secret) {
        const input = { password, salt: saltWith(bytesOf(salt), secret), iterations, digest };
        if (seal === undefined) return pbkdf2AsFarAsNeeded(input, bytesOf(hash));
        return seal.of(await pbkdf2Key(input, seal.keyBytes), password);
      },
    },
  });
}

function bounded(
  { iterations: text, digest, salt, hash, form }: Pbkdf2Text,
  { blocks, max }: { blocks: number; max: number },
): Pbkdf2Hash {
  checkLength('hash', hash, HASH_BYTES);
  const iterations = parseCost(text, { name: 'iterations', min: 1, max, setting: 'pbkdf2_max_iterations' });
  if (iterations * blocks > MAX_BLOCK_ITERATIONS) {
    throw new HashRefused(
      'cost',
      `iterations times blocks of the hash are above the limit of ${MAX_BLOCK_ITERATIONS}`,
    );
  }
  return { digest, iterations, salt, hash, form };
}
