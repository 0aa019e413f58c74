import type { KeptHash } from '../hashing/verifier.ts';
import type { HashStore, VerifiedLogin } from '../passwords/hash-store.ts';
import type { NoHash } from '../passwords/no-hash.ts';
import type { RecipeId, ThirdPartyIdentity, User, UserProfile } from './user.ts';

export type PasswordLogin = LoginWithHash | LoginWithoutHash;

interface LoginStanding {
  recipeUserId: string;
  isDisabled: boolean;
  /** Call of this service that gave the login its address. Undefined if an import or the legacy system gave it. */
  emailSetBy: EmailSetBy | undefined;
}

/** Calls that give a login its address. After a `change`, the legacy system knows the login under another address. */
export type EmailSetBy = 'sign-up' | 'change';

export interface LoginWithoutHash extends LoginStanding {
  noHash: NoHash;
}

export interface LoginWithHash extends LoginStanding, VerifiedLogin {
  isSetHere: boolean;
  /** Milliseconds since the epoch of the last sign-in with this hash, precise to a day (see sign-in.ts). */
  lastSignInMs: number | undefined;
}

export type IncomingLogin = { email: string } & (
  | {
      hash: KeptHash;
      /**
       * Returns whether a stored fingerprint, made of an imported hash that was replaced since, belongs to this hash.
       */
      matchesFingerprint?(fingerprint: string): boolean;
    }
  | { noHash: NoHash }
);

export interface LegacyProfile {
  externalId?: string | undefined;
  /** Profile in the answer of the legacy system. Only parts that the user lacks are stored. */
  profile: UserProfile;
  verified: boolean;
}

export interface PageStart {
  timeJoinedMs: number;
  userId: string;
}

export interface UserFilter {
  /** Only users with a login method of one of these recipes. */
  recipeIds?: readonly RecipeId[];
}

export interface UserListing extends UserFilter {
  order: 'asc' | 'desc';
  /** Maximum size of a page. A page has fewer users, but at least one, if they have thousands of logins. */
  limit: number;
  start?: PageStart;
}

/**
 * Search for users with a login whose address starts with one of `emails`. With `providers`, it must be a third-party
 * login whose provider id starts with one of them.
 */
export interface UserSearch {
  emails?: readonly string[];
  providers?: readonly string[];
  order: 'asc' | 'desc';
  limit: number;
}

export interface UserPage {
  users: User[];
  /** Start of the next page. Undefined after the last page. */
  next: PageStart | undefined;
}

export interface AccountInfo {
  email?: string;
  thirdParty?: ThirdPartyIdentity;
}

export interface ImportedLogin {
  user: User;
  existed: boolean;
  /** Reason why nothing was changed. */
  refusal?: ImportRefusal;
}

/**
 * `in-core`: the SuperTokens core has, or may have, the login's password. `moved`: an identity provider has it.
 * `another-person`: a call of this service has given the login its address, so the import may mean somebody else, and
 * the user has another login or an external id.
 */
export type ImportRefusal = 'in-core' | 'moved' | 'another-person';

/**
 * Every method that writes is one atomic step, which is committed when its promise resolves. Methods throw
 * AppError STORAGE_UNAVAILABLE while the database cannot be reached. E-mails must be normalised; ids may be
 * any text.
 */
export interface UserStore extends HashStore {
  /**
   * Creates a user, or replaces the hash of the login with this address. A stored hash that this service made from the
   * same imported hash is kept. An import without a hash only changes a login that has none, by replacing the reason.
   */
  importPasswordUser(login: IncomingLogin): Promise<ImportedLogin>;
  /**
   * Creates a user, or updates the e-mail of the user with this identity. `verified: false` does not unmark a
   * verified address. A disabled user is returned unchanged.
   */
  signInUpThirdParty(login: {
    identity: ThirdPartyIdentity;
    email: string;
    verified: boolean;
  }): Promise<{ user: User; recipeUserId: string; created: boolean }>;
  createPasswordUser(login: { email: string; hash: KeptHash }): Promise<User | 'email-taken'>;
  findPasswordLogin(email: string): Promise<PasswordLogin | undefined>;
  /** Returns the user of a login. Undefined if the login was removed, has another hash or id by now, or is disabled. */
  findSignedIn(email: string, login: VerifiedLogin): Promise<User | undefined>;
  /** Does what `findSignedIn` does, and records the time of a sign-in if there is a result. */
  recordSignIn(email: string, login: VerifiedLogin): Promise<User | undefined>;
  updatePasswordLogin(
    recipeUserId: string,
    change: { email?: string; hash?: KeptHash },
  ): Promise<'updated' | 'unknown-user' | 'email-taken'>;

  /** Takes any id of a user, like `findUser`. `handed-over`: the SuperTokens core may have the user. */
  setDisabled(id: string, disabled: boolean): Promise<'set' | 'unknown-user' | 'handed-over'>;
  /** Returns the user's encrypted factors: TOTP devices, roles, phone numbers. */
  findFactors(id: string): Promise<{ userId: string; sealed: Buffer } | undefined>;
  /**
   * Stores the hash of a password that the legacy system verified, and the parts of the profile that the user
   * lacks.
   * @returns `changed` if the login has changed since `login` was read, or if the user set the password here;
   * `another-person` if the user has another external id than the profile, or another user has that id
   */
  moveIn(
    email: string,
    login: PasswordLogin,
    hash: KeptHash,
    profile: LegacyProfile,
  ): Promise<'moved' | 'changed' | 'another-person'>;

  /** Finds a user by user id, recipe user id (id of a login method) or external id. */
  findUser(id: string): Promise<User | undefined>;
  /** Returns the metadata of the user with any id, as for `findUser`: the text of a JSON object, as it was imported. */
  findMetadata(id: string): Promise<string | undefined>;
  listUsers(listing: UserListing): Promise<UserPage>;
  countUsers(filter: UserFilter): Promise<number>;
  /** Returns one page, by time joined. If more users match, those whose addresses sort first are returned. */
  searchUsers(search: UserSearch): Promise<UserPage>;
  /** Returns the first page, by time joined, of users who meet every condition or any of them. */
  findUsersByAccountInfo(info: AccountInfo, match: 'all' | 'any', limit: number): Promise<UserPage>;
  /** Records addresses of removed users, so that `isSettled` knows them. Only digests are stored. */
  recordRemoved(emails: readonly string[]): Promise<void>;
  /**
   * Returns whether the legacy system must not be asked about an address without a password login: a
   * third-party login has it, verified by the provider, or the user with this address was removed.
   */
  isSettled(email: string): Promise<boolean>;
  /** Removes a user, or only the login method with this id. An unknown id is not an error. */
  removeUser(id: string, scope: 'user' | 'login-method'): Promise<void>;
  ping(): Promise<void>;
}
