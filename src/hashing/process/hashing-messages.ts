import type { NewHashSettings } from '../new-hash.ts';
import type { HashingLimits } from '../registry.ts';
import type { PasswordHash } from '../verifier.ts';
import type { TimedVerification } from './timed-verify.ts';

/** What the hashing process must know; the first message to it. */
export interface HashingSetup {
  limits: HashingLimits;
  signerKey: Uint8Array | undefined;
  newHashes: NewHashSettings;
}

/** A password to be verified against `hash`, or, without one, to be hashed. */
export interface HashingRequest {
  id: number;
  password: Uint8Array;
  hash?: PasswordHash;
}

export type HashingResult = { verified: TimedVerification } | { made: PasswordHash };

/** `error`: a message that shows nothing of hash and password. */
export type HashingReply = { id: number } & (HashingResult | { error: string });
