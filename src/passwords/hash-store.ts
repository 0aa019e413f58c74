import type { ParsedHash, PasswordHash, Strength } from '../hashing/verifier.ts';
import type { NoHash } from './no-hash.ts';

/** Password login, and the hash against which its password is or was verified. */
export interface VerifiedLogin {
  recipeUserId: string;
  hash: PasswordHash;
}

/** New hash that replaces the stored hash of the same password. */
export interface Rehash {
  hash: ParsedHash;
  /** Fingerprint of the imported hash that this hash replaces (hash-fingerprint.ts). */
  fingerprint: string;
}

/**
 * Origin of a password login's hash, or of the login if it has no hash. `moved-in`: this service made the
 * hash after the legacy system had verified the password. `rehash`: replaces an imported hash of the same
 * password.
 */
export type HashSetBy = 'import' | 'user' | 'rehash' | 'moved-in';

/** Number of password logins whose hashes share algorithm, strength and origin. */
export interface HashGroup {
  /** Algorithm of the hashes, or the reason why the logins have none. */
  algorithm: string | { noHash: NoHash };
  /**
   * Strength of the hashes. Undefined if an earlier version of the service, which did not store strengths,
   * wrote them.
   */
  strength: Strength | undefined;
  setBy: HashSetBy;
  logins: number;
  /**
   * Number of these logins that have signed in with their present hash, or got it from this service at a
   * sign-in.
   */
  signedIn: number;
}

export interface HashPage {
  groups: HashGroup[];
  /**
   * Last e-mail address of this page of counted hashes, after which the next page begins. Undefined after the
   * last page.
   */
  last: string | undefined;
}

/**
 * Number of logins whose hashes need the secret with this id, counted up to a limit. `id` is undefined for
 * the signer key, which has a setting of its own.
 */
export interface SecretUse {
  id: string | undefined;
  logins: number;
}

/** Store of password hashes, with the methods that need nothing else about users. */
export interface HashStore {
  /**
   * Replaces the hash of this login by a new hash of the same password. Returns false if the login was
   * removed or has another hash now.
   */
  replaceHash(login: VerifiedLogin & { email: string }, by: Rehash): Promise<boolean>;
  /**
   * Returns a sample of the stored hashes, to learn what verifying them costs. Each returned hash represents
   * `standFor` hashes.
   */
  sampleHashes(limit: number): Promise<{ hashes: PasswordHash[]; standFor: number }>;
  /**
   * Counts the hashes of the next `limit` password logins after an e-mail address. `''` begins with the first
   * login.
   */
  countHashes(after: string, limit: number): Promise<HashPage>;
  /** Counts stored hashes whose secrets are not configured, for each secret up to `atMost`. */
  countBySecret(
    configured: { ids: readonly string[]; hasSignerKey: boolean },
    atMost: number,
  ): Promise<SecretUse[]>;
}
