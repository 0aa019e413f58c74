/** The logins that the lines of a chunk may meet: those that are stored, and those of the lines before. */
export interface ExistingLogins {
  /** Password logins by e-mail. */
  readonly passwords: Map<string, ExistingPasswordLogin>;
  /** Third-party logins by `identityKey`. */
  readonly thirdParties: Map<string, ExistingThirdPartyLogin>;
  /** Logins by every id that a new external id must not equal: external ids, and ids of users. */
  readonly externalIds: Map<string, LoginIds>;
  /** External ids of users, by user id. */
  readonly externalIdOfUser: Map<string, string>;
}

export interface LoginIds {
  userId: string;
  recipeUserId: string;
}

export interface ExistingPasswordLogin extends LoginIds {
  /** `rehash`: by this service, which replaced an imported hash by another one of the same password. */
  hashSetBy: 'import' | 'user' | 'rehash';
  /** Fingerprint of the imported hash, if this service has replaced it by another one (src/passwords/hash-fingerprint.ts). */
  importedFingerprint?: string;
  /** A dry run would have created it. */
  isDryRun?: boolean;
}

export interface ExistingThirdPartyLogin extends LoginIds {
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
