import type { NewHashSettings } from '../new-hash.ts';
import type { HashingLimits } from '../registry.ts';
import type { HashingSecret } from '../secrets.ts';
import type { PasswordHash } from '../verifier.ts';
import type { TimedVerification } from './timed-verify.ts';

export interface HashingSetup {
  limits: HashingLimits;
  secrets: readonly HashingSecret[];
  newHashes: NewHashSettings;
  workers: number;
}

/** A request to verify a password against `hash`, or to hash the password if `hash` is missing. */
export interface HashingRequest {
  id: number;
  password: Uint8Array;
  algorithm?: string;
  hash?: PasswordHash;
}

/**
 * Answer to a request: a verification, or a hash as the request asks. An error message contains no part of the
 * hash or the password.
 */
export type HashingReply = { id: number } & (
  | { result: TimedVerification | PasswordHash }
  | { error: string }
);

export type WorkerSetup = Pick<HashingSetup, 'limits' | 'secrets'>;

export interface WorkerRequest {
  hash: PasswordHash;
  password: Uint8Array;
}

export type WorkerReply = { verified: TimedVerification } | { error: string };
