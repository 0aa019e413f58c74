import type { Strength } from '../hashing/form.ts';
import type { ParsedHash, PasswordHash } from '../hashing/verifier.ts';
import type { NoHash } from './no-hash.ts';

export interface VerifiedLogin {
  recipeUserId: string;
  hash: PasswordHash;
}

export interface Rehash {
  hash: ParsedHash;
  /** Fingerprint to store of the imported hash that the new hash replaces (hash-fingerprint.ts). */
  fingerprint: string;
}

/**
 * Origin of a hash, or of a login without one. `moved-in`: made after the legacy system had verified the
 * password. `rehash`: replaces an imported hash of the same password.
 */
export type HashSetBy = 'import' | 'user' | 'rehash' | 'moved-in';

export interface HashGroup {
  algorithm: string | { noHash: NoHash };
  /** Undefined if an earlier version of the service, which did not store strengths, wrote the hashes. */
  strength: Strength | undefined;
  setBy: HashSetBy;
  logins: number;
  signedIn: number;
}

export interface HashPage {
  groups: HashGroup[];
  /** Last e-mail address of the page, after which the next page begins. Undefined after the last page. */
  last: string | undefined;
}

/** Number of logins whose hashes need a secret, counted up to a limit. `id` is undefined for the signer key. */
export interface SecretUse {
  id: string | undefined;
  logins: number;
}

/** Methods of the store that need nothing but hashes. */
export interface HashStore {
  /** Returns false if the login was removed or has another hash now. */
  replaceHash(login: VerifiedLogin & { email: string }, by: Rehash): Promise<boolean>;
  /**
   * Returns some hashes, from which the cost of verifying all hashes can be estimated. Each represents `standFor`
   * stored hashes.
   */
  sampleHashes(limit: number): Promise<{ hashes: PasswordHash[]; standFor: number }>;
  /** Counts the hashes of the next logins after an e-mail address. `''` begins with the first login. */
  countHashes(after: string, limit: number): Promise<HashPage>;
  /** Counts hashes whose secrets are not configured, for each secret up to `atMost`. */
  countBySecret(
    configured: { ids: readonly string[]; hasSignerKey: boolean },
    atMost: number,
  ): Promise<SecretUse[]>;
}
