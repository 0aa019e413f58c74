import type { HashAlgorithm } from '../algorithm.ts';

export const CRYPT: readonly HashAlgorithm<never, never>[] = [];
