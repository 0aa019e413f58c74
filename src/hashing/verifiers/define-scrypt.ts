import {
  type DialectTraits,
  defineAlgorithm,
  type HashAlgorithm,
  type PossibleRepair,
  type WholeNumberSetting,
} from '../algorithm.ts';
import { parseCost } from '../formats/cost-bounds.ts';
import { bytesOf, checkLength, type HashPart } from '../formats/hash-part.ts';
import { hmacKey, inNormalForm } from '../kdf/password-reading.ts';
import { maxLog2N, type ScryptCosts, scryptCost, scryptKey } from '../kdf/scrypt.ts';
import { HashRefused, type Strength } from '../verifier.ts';

export interface ScryptHash extends ScryptCosts {
  salt: HashPart;
  hash: HashPart;
}

/** Cost parameters of scrypt, unchecked. Some systems write N, others its logarithm. */
export type ScryptCostTexts = { r: string; p: string } & ({ log2N: string } | { N: string });

export type ScryptText = ScryptCostTexts & { salt: HashPart; hash: HashPart };

export interface ScryptDialect extends DialectTraits {
  /** @throws {HashRefused} `format` from the function */
  reader(): (encoded: string) => ScryptText;
  /** Returns a hash of zeros. Hashes with the same parameters and lengths have the same decoy. */
  decoy(parsed: ScryptHash, encoded: string): string;
  /** Unicode normal form of passwords. By default, the bytes of a password are hashed unchanged. */
  normalForm?: 'NFC' | 'NFKC';
  /** Function that the system applies to the scrypt key, of `keyBytes` bytes, before it is stored. */
  seal?: { keyBytes: number; of(key: Buffer, parsed: ScryptHash): Buffer };
  strength?: Strength;
  repairs?(encoded: string): PossibleRepair[];
}

export type ScryptLimit = 'scrypt_max_log2_n';

const LIMITS: Record<ScryptLimit, WholeNumberSetting> = {
  scrypt_max_log2_n: {
    min: 1,
    max: 24,
    default: 20,
    description: 'Maximum cost (log2 of N) of an imported scrypt hash of any dialect.',
  },
};

/** Fixed limits far above known hashes of scrypt, which have r from 8 to 32 and p from 1 to 5. */
const MAX_R = 64;
const MAX_P = 16;
/** Parameters within their own limits can multiply to too much. */
const MAX_BLOCKS = 2 ** 25;
const HASH_BYTES = { min: 4, max: 1024 };

export function defineScrypt(dialect: ScryptDialect): HashAlgorithm<ScryptLimit, never> {
  const { reader, decoy, normalForm, seal, ...traits } = dialect;
  const reading = hmacKey('sha256', normalForm && inNormalForm(normalForm));
  return defineAlgorithm<ScryptHash, ScryptLimit>({
    displayName: dialect.name,
    strength: 'strong',
    ...traits,
    reference: {
      formula: '0.3 µs × N × r × p',
      examples: 'N 16384, r 8: 39 ms; r 16: 79 ms',
      measured: '0.26 to 0.35 µs × N × r × p: N 16384, r 8: 39 ms; r 16: 87 ms; N 131072, r 8: 367 ms',
    },
    limits: LIMITS,
    parser({ settings }) {
      const read = reader();
      return (encoded) => bounded(read(encoded), settings.scrypt_max_log2_n);
    },
    cost: scryptCost,
    password: () => reading,
    decoy,
    // Few other systems accept an empty salt.
    portable: ({ log2N, r, p, salt, hash }) =>
      salt.length > 0 && normalForm === undefined && seal === undefined
        ? { kind: 'scrypt', log2N, r, p, salt: bytesOf(salt), hash: bytesOf(hash) }
        : undefined,
    describe: ({ log2N, r, p, salt, hash }) => ({
      log2N,
      r,
      p,
      saltBytes: salt.length,
      hashBytes: hash.length,
    }),
    compute: {
      digest: ({ hash }) => bytesOf(hash),
      async of(parsed, password) {
        const { log2N, r, p, salt, hash } = parsed;
        const length = seal?.keyBytes ?? hash.length;
        const key = await scryptKey(password, { log2N, r, p, salt: bytesOf(salt), length });
        return seal?.of(key, parsed) ?? key;
      },
    },
  });
}

function bounded(text: ScryptText, max: number): ScryptHash {
  const { salt, hash } = text;
  checkLength('hash', hash, HASH_BYTES);
  const r = fixedBound('r', text.r, MAX_R);
  const p = fixedBound('p', text.p, MAX_P);
  const log2N = 'N' in text ? log2Of(text.N, max) : costOf('log2 N', text.log2N, { min: 1, max });
  if (log2N > maxLog2N(r)) throw new HashRefused('format', 'log2 N must be less than 16 times r');
  if (2 ** log2N * r * p > MAX_BLOCKS) {
    throw new HashRefused('cost', `N times r times p is above the limit of ${MAX_BLOCKS}`);
  }
  return { log2N, r, p, salt, hash };
}

const fixedBound = (name: string, text: string, max: number) =>
  parseCost(text, { name, min: 1, max, setting: 'no setting raises it' });

const costOf = (name: string, text: string, bounds: { min: number; max: number }) =>
  parseCost(text, { name, ...bounds, setting: 'scrypt_max_log2_n' });

function log2Of(text: string, max: number): number {
  const value = costOf('N', text, { min: 2, max: 2 ** max });
  if ((value & (value - 1)) !== 0) throw new HashRefused('format', 'N is not a power of two');
  return 31 - Math.clz32(value);
}
