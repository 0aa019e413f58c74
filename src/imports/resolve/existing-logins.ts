/** The logins that the lines of a chunk may meet: those that are stored, and those of the lines before. */
export interface ExistingLogins {
  /** By e-mail. */
  readonly passwords: Map<string, ExistingPasswordLogin>;
  /** By `identityKey`. */
  readonly thirdParties: Map<string, ExistingThirdPartyLogin>;
  /** By every id that a new external id must not equal: external ids, and ids of users. */
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
  /** Of the imported hash, where this service has put another one in its place (src/users/hash-fingerprint.ts). */
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

/** What the line resolver looks up and adds to: `ExistingLogins`, or whatever answers as they do. */
export type LoginIndex = {
  [Kind in keyof ExistingLogins]: Lookup<ExistingLogins[Kind] extends Map<string, infer T> ? T : never>;
};

interface Lookup<T> {
  has(key: string): boolean;
  get(key: string): T | undefined;
  set(key: string, value: T): unknown;
}
