import type { KeptHash } from '../hashing/verifier.ts';

/** `unset`: only a reset gives a password. `waiting`: the legacy system verifies it at the first sign-in. */
const NO_HASH_REASONS = ['unset', 'waiting'] as const;

export type NoHash = (typeof NO_HASH_REASONS)[number];

export type Credential = { hash: KeptHash } | { noHash: NoHash };
