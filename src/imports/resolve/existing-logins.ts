import type { HashSetBy } from '../../passwords/hash-store.ts';
import type { NoHash } from '../../passwords/no-hash.ts';

/**
 * Logins that may conflict with the lines of a chunk: stored ones, and those that earlier lines of the chunk
 * create.
 */
export interface ExistingLogins {
  /** Existing password logins, by e-mail address. */
  readonly passwords: Map<string, ExistingPasswordLogin>;
  /** Existing third-party logins, by the `identityKey` of provider and user. */
  readonly thirdParties: Map<string, ExistingThirdPartyLogin>;
  /** Logins by every id that a new external id must differ from: external ids and user ids. */
  readonly externalIds: Map<string, LoginIds>;
  /** External ids of the existing users, by user id. */
  readonly externalIdOfUser: Map<string, string>;
}

export interface LoginIds {
  userId: string;
  recipeUserId: string;
}

/** Whether a stored user is disabled, as each login of the user has it. */
export interface UserState {
  disabled: boolean;
  /** Time of the last change, exactly as the database writes it. Undefined if there was none. */
  setAt?: string | undefined;
  /** Whether a call of this service made the last change, and not an import. */
  isByCall: boolean;
}

interface ExistingLogin extends LoginIds {
  /** State of the stored user. Undefined for a login that only this chunk creates. */
  state?: UserState | undefined;
}

export interface ExistingPasswordLogin extends ExistingLogin {
  /**
   * Origin of the current hash. `rehash` means that this service replaced an imported hash by a new hash of
   * the same password.
   */
  hashSetBy: HashSetBy;
  /** Reason why the existing login has no password hash. Undefined if it has one. */
  noHash?: NoHash | undefined;
  /**
   * Fingerprint of the imported hash, if this service has replaced it by another one
   * (src/passwords/hash-fingerprint.ts).
   */
  importedFingerprint?: string;
  /** Whether an earlier line of this dry run created the login, so that it is not stored. */
  isDryRun?: boolean;
}

export interface ExistingThirdPartyLogin extends ExistingLogin {
  email: string;
  hasSignedIn: boolean;
  isDryRun?: boolean;
}

export const noExistingLogins = (): ExistingLogins => ({
  passwords: new Map(),
  thirdParties: new Map(),
  externalIds: new Map(),
  externalIdOfUser: new Map(),
});

export const hasLogins = ({ passwords, thirdParties }: ExistingLogins) =>
  passwords.size + thirdParties.size > 0;

/** Index that the line resolver reads and adds to: `ExistingLogins`, or an object with the same methods. */
export type LoginIndex = {
  [Kind in keyof ExistingLogins]: Lookup<ExistingLogins[Kind] extends Map<string, infer T> ? T : never>;
};

interface Lookup<T> {
  has(key: string): boolean;
  get(key: string): T | undefined;
  set(key: string, value: T): unknown;
}
