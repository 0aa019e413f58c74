import type { HashCost } from '../form.ts';
import type { HashingLimits, NewHashSettings } from '../registry.ts';
import type { HashingSecret } from '../secrets.ts';
import type { ParsedHash, PasswordHash } from '../verifier.ts';

/**
 * Maximum length of a password, in bytes, that is processed on the event loop: some families need
 * milliseconds of JavaScript for 65,536 characters. Longer passwords are processed in a hashing process.
 */
export const MAX_EVENT_LOOP_PASSWORD_BYTES = 1024;

export const isLongPassword = (password: Uint8Array) => password.length > MAX_EVENT_LOOP_PASSWORD_BYTES;

/** Returns whether a hash takes too much JavaScript for the event loop, or a library that may crash. */
export const needsProcess = ({ runsOn }: HashCost, password: Uint8Array) =>
  runsOn === 'process' || isLongPassword(password);

export interface TimedVerification {
  matches: boolean;
  ms: number;
}

export async function timedVerify(hash: ParsedHash, password: Uint8Array): Promise<TimedVerification> {
  const startMs = performance.now();
  const matches = await hash.verify(password);
  return { matches, ms: Math.round((performance.now() - startMs) * 10) / 10 };
}

export interface HashingSetup {
  limits: HashingLimits;
  secrets: readonly HashingSecret[];
  newHashes: NewHashSettings;
}

/** A request to verify a password against `hash`, or to hash the password if `hash` is missing. */
export interface HashingRequest {
  password: Uint8Array;
  algorithm?: string;
  hash?: PasswordHash;
}

/**
 * Answer to a request: a verification, or a hash as the request asks. An error message contains no part of the
 * hash or the password.
 */
export type HashingReply = { result: TimedVerification | PasswordHash } | { error: string };

/**
 * Describes an error without secrets. A plain Error comes from this service or a hash library. Other classes
 * may quote their input, so only their name and code are used.
 */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'the hashing process failed';
  if (Object.getPrototypeOf(error) === Error.prototype) return error.message;
  const code = 'code' in error ? ` ${String(error.code)}` : '';
  return `the hashing process failed: ${error.name}${code}`;
}
