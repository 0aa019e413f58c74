import type { KeptHash, ParsedHash, PasswordHash, Strength } from '../hashing/verifier.ts';
import type { RecipeId, ThirdPartyIdentity, User } from './user.ts';

/** A password login, with all that is needed to verify a password. */
export interface PasswordLogin {
  recipeUserId: string;
  hash: PasswordHash;
  /** The last recorded sign-in with this hash, ms since the epoch. It is kept to the day (see sign-in.ts). */
  lastSignInMs: number | undefined;
}

/** The login that a password was verified for. */
export type VerifiedLogin = Pick<PasswordLogin, 'recipeUserId' | 'hash'>;

/** Password logins whose hashes have algorithm, class and origin in common. */
export interface HashGroup {
  algorithm: string;
  /** Undefined: it was written before that was kept. */
  strength: Strength | undefined;
  setBy: 'import' | 'user' | 'rehash';
  logins: number;
  /** Number of them who have signed in with this hash. */
  signedIn: number;
}

export interface HashPage {
  groups: HashGroup[];
  /** The last address of the page. Undefined: there are no more. */
  last: string | undefined;
}

/** A login as a single import brings it. */
export interface IncomingLogin {
  email: string;
  hash: KeptHash;
  /** Is the fingerprint, of an imported hash that was replaced since, of this one? Left out: of another. */
  isOf?(fingerprint: string): boolean;
}

/** A hash made here of the password of another one. */
export interface Rehash {
  hash: ParsedHash;
  /** Fingerprint of the imported hash that this one replaces (hash-fingerprint.ts). */
  fingerprint: string;
}

/** A place in the order of `listUsers`: the first user of the next page. */
export interface PageStart {
  timeJoinedMs: number;
  userId: string;
}

export interface UserFilter {
  /** Only users with a login method of one of these; undefined: all users. */
  recipeIds?: readonly RecipeId[];
  /** Only users with an address that starts so. */
  emailPrefix?: string;
}

export interface UserListing extends UserFilter {
  order: 'asc' | 'desc';
  /** Most users of the page. It ends earlier where they have thousands of login methods, but has one user at least. */
  limit: number;
  start?: PageStart;
}

export interface UserPage {
  users: User[];
  /** Undefined: there are no more. */
  next: PageStart | undefined;
}

export interface AccountInfo {
  email?: string;
  thirdParty?: ThirdPartyIdentity;
}

/** How many logins need a secret; a count that is cut off is that of the bound. Without an id: the signer key in its own setting. */
export interface SecretUse {
  id: string | undefined;
  logins: number;
}

/**
 * Stores users. Every method that writes is one atomic step, committed when its promise resolves.
 * It throws AppError STORAGE_UNAVAILABLE while the database cannot be reached; a taken e-mail is a result.
 * E-mails come in normalised, ids may be any text.
 */
export interface UserStore {
  /** Creates the user, or replaces the hash of the one that has this e-mail, unless that was made of the same one. */
  importPasswordUser(login: IncomingLogin): Promise<{ user: User; existed: boolean }>;
  /** Creates the user, or takes over the e-mail for the one that has this identity. `verified` never clears a mark. */
  signInUpThirdParty(login: {
    identity: ThirdPartyIdentity;
    email: string;
    verified: boolean;
  }): Promise<{ user: User; recipeUserId: string; created: boolean }>;
  createPasswordUser(login: { email: string; hash: KeptHash }): Promise<User | 'email-taken'>;
  findPasswordLogin(email: string): Promise<PasswordLogin | undefined>;
  /** Returns the user who has this login. Undefined: the login has another hash or id by now, or is gone. */
  findSignedIn(email: string, login: VerifiedLogin): Promise<User | undefined>;
  /** Does what `findSignedIn` does, and records a sign-in with this hash. Undefined: nothing is recorded. */
  recordSignIn(email: string, login: VerifiedLogin): Promise<User | undefined>;
  /** Puts a new hash of the same password in the place of the one of this login. False: the login has another one by now, or is gone. */
  replaceHash(login: VerifiedLogin & { email: string }, by: Rehash): Promise<boolean>;
  updatePasswordLogin(
    recipeUserId: string,
    change: { email?: string; hash?: KeptHash },
  ): Promise<'updated' | 'unknown-user' | 'email-taken'>;

  /** Finds a user by user id, recipe user id or external id. */
  findUser(id: string): Promise<User | undefined>;
  listUsers(listing: UserListing): Promise<UserPage>;
  countUsers(filter: UserFilter): Promise<number>;
  /** Returns the first page, by time joined, of users for whom every condition holds (`all`), or at least one (`any`). */
  findUsersByAccountInfo(info: AccountInfo, match: 'all' | 'any', limit: number): Promise<UserPage>;
  /** Removes a user, or just the login method that has this id. An unknown id is no error. */
  removeUser(id: string, scope: 'user' | 'login-method'): Promise<void>;

  /** Draws some of all stored hashes, to learn what verifying one costs here. Each stands for `standFor` hashes. */
  sampleHashes(limit: number): Promise<{ hashes: PasswordHash[]; standFor: number }>;
  /** Counts the hashes of the next `limit` password logins, by address; `''` begins with the first. */
  countHashes(after: string, limit: number): Promise<HashPage>;
  /** Counts stored hashes that were made with secrets that are not configured, by secret, up to `atMost` for each. */
  countBySecret(
    configured: { ids: readonly string[]; hasSignerKey: boolean },
    atMost: number,
  ): Promise<SecretUse[]>;
  /** Resolves when the database answers. */
  ping(): Promise<void>;
}
