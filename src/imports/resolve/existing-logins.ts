import type { HashSetBy } from '../../passwords/hash-store.ts';
import type { NoHash } from '../../passwords/no-hash.ts';

/** Logins that a line may conflict with: stored ones, and those that earlier lines of the chunk create. */
export interface ExistingLogins {
  readonly passwords: Map<string, ExistingPasswordLogin>;
  readonly thirdParties: Map<string, ExistingThirdPartyLogin>;
  /** Logins by all their external ids and user ids, from which a new external id must differ. */
  readonly externalIds: Map<string, LoginIds>;
  /** External ids of the existing users, by user id. */
  readonly externalIdOfUser: Map<string, string>;
}

export interface LoginIds {
  userId: string;
  recipeUserId: string;
}

/** Whether a user is disabled, and who has set it. Each stored login of the user has a copy. */
export interface UserState {
  disabled: boolean;
  /** Time when `disabled` was last set, exactly as the database writes it. Undefined if it never was. */
  setAt?: string | undefined;
  /** Whether a call of this service last set `disabled`, rather than an import. */
  isByCall: boolean;
}

/**
 * `waiting`: the core has a placeholder password, and this service verifies the old one. `settled`: the core
 * decides about the password, or will.
 */
export type InCore = 'waiting' | 'settled';

interface ExistingLogin extends LoginIds {
  inCore?: InCore | undefined;
  /** Undefined for a login that only this chunk creates. */
  state?: UserState | undefined;
}

export interface ExistingPasswordLogin extends ExistingLogin {
  /** `rehash`: this service replaced an imported hash by its own hash of the same password. */
  hashSetBy: HashSetBy;
  noHash?: NoHash | undefined;
  /** Whether a call of this service has given the login its address, so that a line may mean somebody else. */
  isEmailChanged?: boolean;
  /** Fingerprint of the imported hash, if this service has replaced it (src/passwords/hash-fingerprint.ts). */
  importedFingerprint?: string;
  /** Whether an earlier line of this dry run created the login. */
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

/** The maps of `ExistingLogins`, or objects with the same methods. */
export type LoginIndex = {
  [Kind in keyof ExistingLogins]: Lookup<ExistingLogins[Kind] extends Map<string, infer T> ? T : never>;
};

interface Lookup<T> {
  has(key: string): boolean;
  get(key: string): T | undefined;
  set(key: string, value: T): unknown;
}
