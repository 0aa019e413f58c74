import type { HashAlgorithm } from '../algorithm.ts';

export const SCRAM: readonly HashAlgorithm<never, never>[] = [];
