import { type BinaryLike, type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';

const scryptAsync = promisify<BinaryLike, BinaryLike, number, ScryptOptions, Buffer>(scrypt);

export interface ScryptCosts {
  log2N: number;
  r: number;
  p: number;
}

export interface ScryptInput extends ScryptCosts {
  salt: Buffer;
  /** Length of the derived key in bytes. */
  length: number;
}

/** Milliseconds of scrypt for one of its N * r * p blocks of 128 bytes. */
const BLOCK_MS = 0.0003;

/** RFC 7914, section 2 requires N < 2^(128 * r / 8), and OpenSSL reports more as "memory limit exceeded". */
export const maxLog2N = (r: number) => 16 * r - 1;

/**
 * Memory as OpenSSL counts it: N + 2 blocks for work, and `p` for the input. Node.js permits 32 MiB by
 * default.
 */
function memoryBytes({ log2N, r, p }: ScryptCosts): number {
  return 128 * r * (2 ** log2N + 2 + p);
}

export function scryptCost(costs: ScryptCosts): { memoryBytes: number; ms: number } {
  return { memoryBytes: memoryBytes(costs), ms: 2 ** costs.log2N * costs.r * costs.p * BLOCK_MS };
}

export function scryptKey(password: Buffer, { salt, length, ...costs }: ScryptInput): Promise<Buffer> {
  const { log2N, r, p } = costs;
  return scryptAsync(password, salt, length, { N: 2 ** log2N, r, p, maxmem: memoryBytes(costs) });
}
