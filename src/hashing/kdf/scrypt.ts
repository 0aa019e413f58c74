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
  /** Of the key, in bytes. */
  length: number;
}

/** Time for one of the N * r * p blocks of 128 bytes, which is written once and read once. */
const BLOCK_MS = 0.0003;

/** RFC 7914, section 2: N must be less than 2^(128 * r / 8). OpenSSL refuses more as "memory limit exceeded". */
export const maxLog2N = (r: number) => 16 * r - 1;

/** Counts as OpenSSL does: N + 2 blocks of 128 * r bytes to work in, and `p` for the input. Node's default limit is 32 MiB. */
function memoryBytes({ log2N, r, p }: ScryptCosts): number {
  return 128 * r * (2 ** log2N + 2 + p);
}

/** What one key takes. */
export function scryptCost(costs: ScryptCosts): { memoryBytes: number; ms: number } {
  return { memoryBytes: memoryBytes(costs), ms: 2 ** costs.log2N * costs.r * costs.p * BLOCK_MS };
}

export function scryptKey(password: Buffer, { salt, length, ...costs }: ScryptInput): Promise<Buffer> {
  const { log2N, r, p } = costs;
  return scryptAsync(password, salt, length, { N: 2 ** log2N, r, p, maxmem: memoryBytes(costs) });
}
