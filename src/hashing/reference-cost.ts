/**
 * What one verification takes, in ms, by a table and not by the speed of this machine: all instances must accept the same
 * hashes, today and after a move. The figures are those of one thread of a usual server, rounded; what was measured is in
 * docs/hash-formats.md. Here, and not with the hashing, because the configuration is checked against them, too.
 */

/** Cost 10 takes 50 ms, and each step doubles that. */
const BCRYPT_ROUND_MS = 50 / 2 ** 10;
/** Filling memory that is not in any cache. Lanes share the work: they change when it is done, not how much it is. */
const ARGON2_MIB_PASS_MS = 0.9;
/** The library starts a thread for each lane and each quarter of a pass, however little there is to fill. */
const ARGON2_THREAD_MS = 0.02;
const ARGON2_SLICES = 4;
/** One of the N * r * p blocks of 128 bytes, written once and read once. */
const SCRYPT_BLOCK_MS = 0.0003;

/** @param cost log2 of the rounds */
export function bcryptMs(cost: number): number {
  return 2 ** cost * BCRYPT_ROUND_MS;
}

export function argon2Ms(hash: { memoryKb: number; iterations: number; parallelism: number }): number {
  const { memoryKb, iterations, parallelism } = hash;
  const threads = parallelism === 1 ? 0 : ARGON2_SLICES * iterations * parallelism;
  return (memoryKb / 1024) * iterations * ARGON2_MIB_PASS_MS + threads * ARGON2_THREAD_MS;
}

/** @param cost as RFC 7914 names its parameters */
export function scryptMs({ N, r, p }: { N: number; r: number; p: number }): number {
  return N * r * p * SCRYPT_BLOCK_MS;
}
