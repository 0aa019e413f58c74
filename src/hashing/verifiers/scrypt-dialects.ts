import type { HashAlgorithm } from '../algorithm.ts';

export const SCRYPT: readonly HashAlgorithm<never, never>[] = [];
