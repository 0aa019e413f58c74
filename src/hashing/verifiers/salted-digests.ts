import type { HashAlgorithm } from '../algorithm.ts';

export const SALTED_DIGESTS: readonly HashAlgorithm<never, never>[] = [];
