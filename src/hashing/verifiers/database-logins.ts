import type { HashAlgorithm } from '../algorithm.ts';

export const DATABASE_LOGINS: readonly HashAlgorithm<never, never>[] = [];
