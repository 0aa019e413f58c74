import type { PasswordHash } from '../hashing/verifier.ts';
import type { NoHash } from '../passwords/no-hash.ts';
import type { User } from '../users/user.ts';

/**
 * State of a login in a hand-over. `sending`: the core may have the login. `waiting`: the core has it with a
 * placeholder password. `moved`: the core has its real password, or the login needs none. `changed`: the password was
 * changed in the core before the first sign-in, so the old hash is void. `refused`: the core does not accept it.
 */
export type LoginState = 'sending' | 'waiting' | 'moved' | 'changed' | 'refused';

export const LOGIN_STATES: readonly LoginState[] = ['sending', 'waiting', 'moved', 'changed', 'refused'];

export interface HandOver {
  handOverId: string;
  /** Name of the API key that started the hand-over. */
  keyName: string;
  /** Whether each login method of a user becomes a user of its own in the core. */
  unlinked: boolean;
  startedAtMs: number;
  finishedAtMs: number | undefined;
  undoStartedAtMs: number | undefined;
  undoFinishedAtMs: number | undefined;
  /** Number of users in this service when the hand-over started. */
  totalUsers: number;
  /** Reason why the hand-over does not advance at the moment. */
  problem: string | undefined;
  /**
   * Value by which it is checked whether the configured secret still yields the placeholder password (placeholder.ts).
   */
  secretCheck: Buffer;
}

/** A user whom the hand-over sends to the core. */
export interface DepartingUser {
  user: User;
  /** The user's metadata as the text of a JSON object, exactly as it is stored here. */
  metadata: string | undefined;
  /** Encrypted second factors, roles and phone numbers of the user (src/users/factor-vault.ts). */
  factors?: Buffer | undefined;
  /** Further members of the user to send, as in a body of the core's import. */
  extras?: object | undefined;
  /** Hashes of the password logins, by recipe user id. */
  hashes: ReadonlyMap<string, PasswordHash>;
  /** Reasons why password logins have no hash, by recipe user id. */
  noHashes: ReadonlyMap<string, NoHash>;
  /** Whether the core may have the user already, because an earlier attempt to send the user was broken off. */
  mayBeThere: boolean;
  /** Whether the core has accepted the user for its bulk import, which creates the user later. */
  isStaged: boolean;
}

export interface LoginRecord {
  recipeUserId: string;
  userId: string;
  /** The id that the user with this login has in the core. */
  coreId: string;
  state: LoginState;
  /** Algorithm of the hash, or the reason why a password login has no hash. */
  algorithm: string | undefined;
  reason?: string | undefined;
}

/** A user in the core, and the ids of its logins by state. */
export interface UserToUndo {
  coreId: string;
  waiting: string[];
  sending: string[];
}

export interface HandOverCount {
  state: LoginState;
  /** Algorithm of the hash, as in `LoginRecord`. Undefined for third-party logins. */
  algorithm: string | undefined;
  logins: number;
}

export interface MovedOnDay {
  /** Day in UTC, such as `2026-11-24`. */
  day: string;
  logins: number;
}

export interface RefusedLogin {
  recipeUserId: string;
  userId: string;
  reason: string;
}

/** How many users have factors, by kind of factor. */
export interface FactorCounts {
  totpUsers: number;
  roleUsers: number;
  phoneUsers: number;
}

/** Numbers about all users that are needed before a hand-over starts. */
export interface UsersToHandOver extends FactorCounts {
  /** Number of login methods whose users are disabled. */
  disabledLogins: number;
  users: number;
  /** Number of users who have several login methods. */
  linkedUsers: number;
  /** Number of password logins by algorithm, or by the reason why they have no hash. */
  passwordLogins: { algorithm: string; logins: number }[];
  thirdPartyLogins: number;
}

/** Records of hand-overs. Methods throw AppError STORAGE_UNAVAILABLE while the database cannot be reached. */
export interface HandOverStore {
  count(): Promise<UsersToHandOver>;
  /** Starts a hand-over, or returns the unfinished one. */
  begin(start: {
    handOverId: string;
    keyName: string;
    unlinked: boolean;
    secretCheck: Buffer;
  }): Promise<{ handOver: HandOver; isNew: boolean }>;
  find(handOverId: string): Promise<HandOver | undefined>;
  /** Returns hand-overs, the newest first. */
  list(limit: number): Promise<HandOver[]>;
  counts(handOverId: string): Promise<HandOverCount[]>;
  /** Counts the waiting logins of all hand-overs. `unset`: those without a password, whom nothing here can sign in. */
  countWaiting(): Promise<{ waiting: number; unset: number }>;
  movedByDay(handOverId: string): Promise<MovedOnDay[]>;
  /** Returns refused logins in the order of their ids, starting after the given id. */
  listRefused(handOverId: string, after: string | undefined, limit: number): Promise<RefusedLogin[]>;
  /** Returns the newest hand-over, unless it was undone. */
  latest(): Promise<HandOver | undefined>;

  /** Reserves an unfinished hand-over that no other instance has reserved, or renews the reservation of this owner. */
  claim(owner: string, forMs: number): Promise<HandOver | undefined>;
  release(owner: string): Promise<void>;
  setProblem(handOverId: string, problem: string | undefined): Promise<void>;
  /**
   * Reads the next users, and returns those who are not in the core. `lastUserId` is the last user that was read;
   * undefined if no users are left.
   */
  nextUsers(handOver: HandOver, limit: number): Promise<{ users: DepartingUser[]; lastUserId?: string }>;
  /** Returns a user to hand over. Undefined if the user was removed or is in the core. */
  departing(userId: string): Promise<DepartingUser | undefined>;
  /** Returns users who have a login in state `sending`, in the order of their ids. */
  sendingUsers(handOverId: string, after: string | undefined, limit: number): Promise<DepartingUser[]>;
  countSending(handOverId: string): Promise<number>;
  /** Removes the records of logins in state `sending` whose users were removed here. */
  forgetGone(handOverId: string): Promise<void>;
  /** Records that the core has accepted these logins into its stage. */
  markStaged(recipeUserIds: readonly string[]): Promise<void>;
  /**
   * Records logins that are about to be sent. Their users can no longer be disabled here after that.
   * @returns the ids of those users who are disabled
   */
  recordSending(handOverId: string, logins: readonly LoginRecord[]): Promise<ReadonlySet<string>>;
  record(handOverId: string, logins: readonly LoginRecord[]): Promise<void>;
  /** Records that the hand-over has looked at all users up to this one. */
  advance(handOverId: string, userId: string): Promise<void>;
  finish(handOverId: string): Promise<void>;

  /**
   * Starts to undo a hand-over.
   * @returns false if the hand-over is unknown or was undone before
   */
  beginUndo(handOverId: string): Promise<boolean>;
  /** Returns users in the core who have a login in state `waiting` or `sending`. */
  nextToUndo(handOverId: string, limit: number): Promise<UserToUndo[]>;
  forget(recipeUserIds: readonly string[]): Promise<void>;
  finishUndo(handOverId: string): Promise<void>;

  findLogin(recipeUserId: string): Promise<(LoginRecord & { handOverId: string }) | undefined>;
  /**
   * Locks a waiting login for this long. Returns false if another caller holds the lock, or if the login does not
   * wait.
   */
  lock(recipeUserId: string, forMs: number): Promise<boolean>;
  unlock(recipeUserId: string): Promise<void>;
  /**
   * Ends the waiting of a login. Its hash is void from then on, and must be removed.
   * @returns false if the login did not wait
   */
  endWaiting(recipeUserId: string, state: 'moved' | 'changed'): Promise<boolean>;
  hashRemoved(recipeUserId: string): Promise<void>;
  /** Returns ids of logins that were moved or changed, and whose hash here is therefore void and not removed yet. */
  withHashLeft(limit: number): Promise<string[]>;
}
