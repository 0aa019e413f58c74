import type { HashAlgorithm } from '../algorithm.ts';

export const BCRYPT_WRAPPED: readonly HashAlgorithm<never, never>[] = [];
