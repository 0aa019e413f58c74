import type { KeptHash } from '../hashing/verifier.ts';

/**
 * Reasons why a login has no hash. `unset`: the login gets a password only by a reset. `waiting`: the legacy system
 * verifies the password at the first sign-in.
 */
const NO_HASH_REASONS = ['unset', 'waiting'] as const;

export type NoHash = (typeof NO_HASH_REASONS)[number];

export type Credential = { hash: KeptHash } | { noHash: NoHash };
