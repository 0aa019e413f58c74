import { type BinaryLike, type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';

const scryptAsync = promisify<BinaryLike, BinaryLike, number, ScryptOptions, Buffer>(scrypt);

export interface ScryptCosts {
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

/** RFC 7914, section 2 requires N < 2^(128 * r / 8), and OpenSSL reports more as "memory limit exceeded". */
export const maxLog2N = (r: number) => 16 * r - 1;

/**
 * Memory is counted as OpenSSL does: N + 2 blocks for work, and `p` for the input. Node.js permits 32 MiB by
 * default.
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
