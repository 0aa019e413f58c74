import type { HashAlgorithm } from '../algorithm.ts';

export const ENVELOPES: readonly HashAlgorithm<never, never>[] = [];
