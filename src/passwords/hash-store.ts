import type { ParsedHash, PasswordHash, Strength } from '../hashing/verifier.ts';
import type { NoHash } from './no-hash.ts';

/** A password login and its hash, against which a password is verified or was verified. */
export interface VerifiedLogin {
  recipeUserId: string;
  hash: PasswordHash;
}

/** A new hash of a password that is stored with another hash, which it replaces. */
export interface Rehash {
  hash: ParsedHash;
  /** Fingerprint of the imported hash that this hash replaces (hash-fingerprint.ts). */
  fingerprint: string;
}

/**
 * Origin of a password login's hash, or of the login if it has none. `moved-in`: hashed here when the legacy system
 * had verified the password. `rehash`: replaces an imported hash of the same password.
 */
export type HashSetBy = 'import' | 'user' | 'rehash' | 'moved-in';

/** Password logins whose hashes share algorithm, strength and origin. */
export interface HashGroup {
  /** Algorithm of the hashes, or why the logins have none. */
  algorithm: string | { noHash: NoHash };
  /** Strength of the hashes. Undefined for hashes of versions that did not store strengths. */
  strength: Strength | undefined;
  setBy: HashSetBy;
  logins: number;
  /** Number of these logins that have signed in with the present hash, or whose hash was made here at a sign-in. */
  signedIn: number;
}

export interface HashPage {
  groups: HashGroup[];
  /** The last e-mail address of the page, from which the next page continues. Undefined after the last page. */
  last: string | undefined;
}

/**
 * How many logins need a secret. Counting ends at a bound. `id` is undefined for the signer key that has a setting of
 * its own.
 */
export interface SecretUse {
  id: string | undefined;
  logins: number;
}

/** Stores hashes. This interface has the methods that src/passwords and the service need without reading users. */
export interface HashStore {
  /**
   * Replaces the hash of this login by a new hash of the same password. Returns false if the login is gone or has
   * another hash.
   */
  replaceHash(login: VerifiedLogin & { email: string }, by: Rehash): Promise<boolean>;
  /** Samples the stored hashes, to learn what verification costs. Each returned hash stands for `standFor` hashes. */
  sampleHashes(limit: number): Promise<{ hashes: PasswordHash[]; standFor: number }>;
  /** Counts the hashes of the next `limit` password logins after an address. `''` starts with the first. */
  countHashes(after: string, limit: number): Promise<HashPage>;
  /** Counts stored hashes whose secrets are not configured, by secret, up to `atMost` for each secret. */
  countBySecret(
    configured: { ids: readonly string[]; hasSignerKey: boolean },
    atMost: number,
  ): Promise<SecretUse[]>;
}
