import type { KeptHash } from '../../hashing/verifier.ts';
import type { Credential } from '../../passwords/no-hash.ts';
import type { ThirdPartyIdentity, UserProfile } from '../../users/user.ts';
import type { ChunkIds } from './chunk-ids.ts';
import type {
  ExistingPasswordLogin,
  ExistingThirdPartyLogin,
  InCore,
  LoginIds,
  UserState,
} from './existing-logins.ts';
import type { HashCounts } from './hash-counts.ts';
import type { Outcome } from './outcome.ts';

export interface WriteSet {
  ids: ChunkIds;
  /** Outcomes by line index. A blank line has none. */
  outcomes: (Outcome | undefined)[];
  users: NewUser[];
  passwordLogins: NewPasswordLogin[];
  thirdPartyLogins: NewThirdPartyLogin[];
  aliases: NewAlias[];
  /** New hashes of stored logins, or new reasons why a login has none, by e-mail address. */
  newCredentials: Map<string, LoginIds & { credential: Credential; inCore?: InCore | undefined }>;
  /** New e-mail addresses of stored third-party logins, by `identityKey`. */
  newEmails: Map<string, NewEmail>;
  newStates: Map<string, NewState>;
  /** New factors of stored users, encrypted, by user id. */
  newFactors: Map<string, Buffer>;
  changes: UserChange[];
  /**
   * Includes hashes that this chunk itself imported. `algorithm` is undefined if a login has no hash any
   * more.
   */
  hashChanges: { recipeUserId: string; algorithm: string | undefined }[];
  algorithms: Record<string, number>;
  hashes: HashCounts;
}

/** Rows of new users. Most chunks write nothing else. */
export type NewRows = Pick<WriteSet, 'users' | 'passwordLogins' | 'thirdPartyLogins' | 'aliases'>;

export type AddedRows = Omit<NewRows, 'users'>;

export interface NewUser {
  userId: string;
  timeJoinedMs: number;
  profile: UserProfile;
  /** Encrypted (src/users/factor-vault.ts). */
  factors?: Buffer | undefined;
}

export interface NewState {
  disabled: boolean;
  before: UserState;
}

/** Change of a stored user, with only the logins that the line names. */
export interface UserChange {
  userId: string;
  /** Whether only `newStates` has a change of the user. All logins of the user are then locked and compared. */
  isStateOnly?: boolean;
  /** The whole profile after the change. Undefined to keep the stored one. */
  profile: UserProfile | undefined;
  passwords: PasswordChange[];
  thirdParties: ThirdPartyChange[];
  added?: AddedRows | undefined;
}

export interface PasswordChange {
  recipeUserId: string;
  storedEmail: string;
  /** The change fails if the version of the stored login is no longer the same. */
  version: string;
  /** The change fails if the login's state in the core is no longer the same. */
  inCore?: InCore | undefined;
  email: string;
  /** Undefined to keep the stored credential. */
  credential: Credential | undefined;
  verifiedEmails: readonly string[];
}

export interface ThirdPartyChange {
  recipeUserId: string;
  identity: ThirdPartyIdentity;
  version: string;
  inCore?: InCore | undefined;
  email: string;
  verifiedEmails: readonly string[];
}

interface NewLogin {
  email: string;
  timeJoinedMs: number;
  /** Whether the user has data outside the row of this login: other login methods, or an external id. */
  hasMore: boolean;
  verifiedEmails: readonly string[];
  disabled?: boolean;
}

/** Password login to write. Later lines of the chunk can change it as an existing login. */
export interface NewPasswordLogin extends NewLogin, ExistingPasswordLogin {
  hash: KeptHash | undefined;
}

export interface NewThirdPartyLogin extends NewLogin, ExistingThirdPartyLogin {
  identity: ThirdPartyIdentity;
}

export interface NewAlias extends LoginIds {
  alias: string;
  kind: 'recipe_user' | 'external';
}

export const emptyWriteSet = (ids: ChunkIds): WriteSet => ({
  ids,
  outcomes: [],
  users: [],
  passwordLogins: [],
  thirdPartyLogins: [],
  aliases: [],
  newCredentials: new Map(),
  newEmails: new Map(),
  newStates: new Map(),
  newFactors: new Map(),
  changes: [],
  hashChanges: [],
  algorithms: {},
  hashes: {},
});

export interface NewEmail extends LoginIds {
  identity: ThirdPartyIdentity;
  email: string;
  /** E-mail addresses of the login to mark as verified, beside those that already are. */
  verifiedEmails: readonly string[];
}
