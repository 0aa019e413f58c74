import type { NewHashSettings } from '../new-hash.ts';
import type { HashingLimits } from '../registry.ts';
import type { HashingSecret } from '../secrets.ts';
import type { PasswordHash } from '../verifier.ts';
import type { TimedVerification } from './timed-verify.ts';

/** The first message to the hashing process: all that it must know. */
export interface HashingSetup {
  limits: HashingLimits;
  secrets: readonly HashingSecret[];
  newHashes: NewHashSettings;
  /** How many loops of rounds are computed at once, each on a thread of its own. */
  workers: number;
}

/** A password that is to be verified against `hash`. Without a `hash` it is to be hashed. */
export interface HashingRequest {
  id: number;
  password: Uint8Array;
  /** To hash it with, one of OWN_ALGORITHMS. Left out: the configured one. */
  algorithm?: string;
  hash?: PasswordHash;
}

export type HashingResult = { verified: TimedVerification } | { made: PasswordHash };

/** `error` is a message that shows nothing of the hash or the password. */
export type HashingReply = { id: number } & (HashingResult | { error: string });

/** All that a thread of the hashing process must know. */
export type WorkerSetup = Pick<HashingSetup, 'limits' | 'secrets'>;

export interface WorkerRequest {
  hash: PasswordHash;
  password: Uint8Array;
}

export type WorkerReply = { verified: TimedVerification } | { error: string };
