import type { KeptHash } from '../hashing/verifier.ts';
import type { HashStore, VerifiedLogin } from '../passwords/hash-store.ts';
import type { NoHash } from '../passwords/no-hash.ts';
import type { RecipeId, ThirdPartyIdentity, User } from './user.ts';
import type { UserProfile } from './user-profile.ts';

/** A password login of a user, with everything that the verification of a password needs. */
export type PasswordLogin = LoginWithHash | LoginWithoutHash;

export interface LoginWithoutHash {
  recipeUserId: string;
  noHash: NoHash;
  isDisabled: boolean;
}

export interface LoginWithHash extends VerifiedLogin {
  /** Whether the user has set this password in this service, rather than in a former system. */
  isSetHere: boolean;
  /**
   * Time of the last recorded sign-in with this hash, in milliseconds since the epoch. It is precise to a day
   * (see sign-in.ts).
   */
  lastSignInMs: number | undefined;
  isDisabled: boolean;
}

/** The e-mail address and hash of one imported user. */
export interface IncomingLogin {
  email: string;
  hash: KeptHash;
  /**
   * Returns whether a stored fingerprint, which identifies an imported hash that was replaced since, belongs
   * to this hash. If the function is omitted, no fingerprint does.
   */
  matchesFingerprint?(fingerprint: string): boolean;
}

/** Profile of a user as the legacy system states it. */
export interface LegacyProfile {
  externalId?: string | undefined;
  /** The parts to store, if the user has none yet. */
  profile: UserProfile;
  /** Whether the legacy system knows that the e-mail address belongs to the user. */
  verified: boolean;
}

/** Position of a page in a listing of users: its first user. */
export interface PageStart {
  timeJoinedMs: number;
  userId: string;
}

export interface UserFilter {
  /**
   * Restricts the listing to users with a login method of one of these recipes (password, third party).
   * Undefined for all users.
   */
  recipeIds?: readonly RecipeId[];
  /** Restricts the listing to users with an e-mail address that starts with this text. */
  emailPrefix?: string;
}

export interface UserListing extends UserFilter {
  order: 'asc' | 'desc';
  /**
   * Maximum number of users on a page of the listing. A page may have fewer if its users have thousands of
   * login methods, but at least one.
   */
  limit: number;
  start?: PageStart;
}

export interface UserPage {
  users: User[];
  /** Start of the next page of the listing. Undefined after the last page. */
  next: PageStart | undefined;
}

export interface AccountInfo {
  email?: string;
  thirdParty?: ThirdPartyIdentity;
}

/** Result of the import of a single password login. */
export interface ImportedLogin {
  user: User;
  existed: boolean;
  /**
   * Whether nothing was changed, because the SuperTokens core has the password of this existing login, or may
   * have it. Not set if the import changes nothing anyway.
   */
  isInCore?: true;
}

/**
 * Stores users in the database. Every method that writes is one atomic step, which is committed when its
 * promise resolves. Methods throw AppError STORAGE_UNAVAILABLE while the database cannot be reached. A taken
 * e-mail is a result and not an error. E-mails must be normalised; ids may be any text.
 */
export interface UserStore extends HashStore {
  /**
   * Creates a user with an imported hash, or replaces the hash of the user with this e-mail. A hash that this
   * service made from the same imported hash is kept.
   */
  importPasswordUser(login: IncomingLogin): Promise<ImportedLogin>;
  /**
   * Creates a user whose password login has no hash. If the e-mail already has a login without a hash, the
   * reason for having none is replaced. A stored hash is kept.
   */
  importWithoutHash(login: { email: string; noHash: NoHash }): Promise<ImportedLogin>;
  /**
   * Creates a user, or updates the e-mail of the user with this third-party identity. `verified: false` does
   * not unmark a verified address. A disabled user is returned unchanged.
   */
  signInUpThirdParty(login: {
    identity: ThirdPartyIdentity;
    email: string;
    verified: boolean;
  }): Promise<{ user: User; recipeUserId: string; created: boolean }>;
  createPasswordUser(login: { email: string; hash: KeptHash }): Promise<User | 'email-taken'>;
  findPasswordLogin(email: string): Promise<PasswordLogin | undefined>;
  /**
   * Returns the user with this login, whose password was just verified. Returns undefined if the login was
   * removed, has another hash or id by now, or is disabled.
   */
  findSignedIn(email: string, login: VerifiedLogin): Promise<User | undefined>;
  /**
   * Does what `findSignedIn` does, and records the time of a sign-in with this hash. Records nothing if it
   * returns undefined.
   */
  recordSignIn(email: string, login: VerifiedLogin): Promise<User | undefined>;
  updatePasswordLogin(
    recipeUserId: string,
    change: { email?: string; hash?: KeptHash },
  ): Promise<'updated' | 'unknown-user' | 'email-taken'>;

  /**
   * Disables or enables a user, who is found by any id, as in `findUser`.
   * @returns `handed-over` if a SuperTokens core has the user, or may have it
   */
  setDisabled(id: string, disabled: boolean): Promise<'set' | 'unknown-user' | 'handed-over'>;
  /**
   * Returns the id of a user and the user's encrypted factors (TOTP devices, roles, phone numbers). Returns
   * undefined if the user is unknown or has no factors.
   */
  findFactors(id: string): Promise<{ userId: string; sealed: Buffer } | undefined>;
  /**
   * Stores the hash of a password that the legacy system has verified, and the parts of the profile that the
   * user lacks.
   * @returns `changed` if the login was removed or changed since `login` was read, or if the user has set the
   * password in this service; `another-person` if the user has another external id than the profile, or
   * another user has that id
   */
  moveIn(
    email: string,
    login: PasswordLogin,
    hash: KeptHash,
    profile: LegacyProfile,
  ): Promise<'moved' | 'changed' | 'another-person'>;

  /** Finds a user by user id, recipe user id (id of a login method) or external id. */
  findUser(id: string): Promise<User | undefined>;
  /**
   * Returns the metadata of a user, who is found by any id, as in `findUser`: the JSON text of an object, as
   * it was imported. Returns undefined if the user is unknown or has no metadata.
   */
  findMetadata(id: string): Promise<string | undefined>;
  listUsers(listing: UserListing): Promise<UserPage>;
  countUsers(filter: UserFilter): Promise<number>;
  /**
   * Returns the first page, by time joined, of users who meet every condition (`all`) or at least one
   * (`any`). Conditions are an e-mail address and a third-party identity.
   */
  findUsersByAccountInfo(info: AccountInfo, match: 'all' | 'any', limit: number): Promise<UserPage>;
  /** Removes a user, or only the login method with this id. An unknown id is not an error. */
  removeUser(id: string, scope: 'user' | 'login-method'): Promise<void>;
  /** Checks the database. Resolves if it answers. */
  ping(): Promise<void>;
}
