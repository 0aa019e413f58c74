import type { NewHashSettings } from '../new-hash.ts';
import type { HashingLimits } from '../registry.ts';
import type { PasswordHash } from '../verifier.ts';
import type { TimedVerification } from './timed-verify.ts';

/** The first message to the hashing process: all that it must know. */
export interface HashingSetup {
  limits: HashingLimits;
  signerKey: Uint8Array | undefined;
  newHashes: NewHashSettings;
}

/** A password that is to be verified against `hash`. Without a `hash` it is to be hashed. */
export interface HashingRequest {
  id: number;
  password: Uint8Array;
  hash?: PasswordHash;
}

export type HashingResult = { verified: TimedVerification } | { made: PasswordHash };

/** `error` is a message that shows nothing of the hash or the password. */
export type HashingReply = { id: number } & (HashingResult | { error: string });
