import type { HashAlgorithm } from '../algorithm.ts';

export const DIGEST_ROUNDS: readonly HashAlgorithm<never, never>[] = [];
