import type { PasswordHash } from '../hashing/verifier.ts';
import type { NoHash } from '../passwords/no-hash.ts';
import type { User } from '../users/user.ts';

/**
 * State of a login in a hand-over to the core. `sending`: the core may have the login. `waiting`: the core
 * has it with a placeholder password. `moved`: the core has its real password, or the login needs none.
 * `changed`: the password was changed in the core before the first sign-in, so the old hash is void.
 * `refused`: the core does not accept it.
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
  /** Number of users in this service at the start of the hand-over. */
  totalUsers: number;
  /** Reason why the hand-over does not advance at the moment. */
  problem: string | undefined;
  /** Digest of the secret from which the placeholder password is derived (placeholder.ts). */
  secretCheck: Buffer;
}

export interface DepartingUser {
  user: User;
  /** Text of a JSON object, exactly as it is stored in this service. */
  metadata: string | undefined;
  /** Encrypted second factors, roles and phone numbers of the user (src/users/factor-vault.ts). */
  factors?: Buffer | undefined;
  /** Second factors and roles as further members of the user in the request to the core. */
  extras?: object | undefined;
  /** Password hashes by the recipe user id of their login. Logins without a hash are in `noHashes`. */
  hashes: ReadonlyMap<string, PasswordHash>;
  noHashes: ReadonlyMap<string, NoHash>;
  /** Whether an interrupted attempt may have created the user in the core. */
  mayBeThere: boolean;
  /** Whether the core has accepted the user for its bulk import, which creates the user minutes later. */
  isStaged: boolean;
}

export interface LoginRecord {
  recipeUserId: string;
  userId: string;
  /** Id of the user with this login in the core. */
  coreId: string;
  state: LoginState;
  /** Algorithm of the login's hash, or the reason why a password login has no hash. */
  algorithm: string | undefined;
  reason?: string | undefined;
}

/** A user in the core whom the undo of a hand-over removes, with the ids of the user's logins by state. */
export interface UserToUndo {
  coreId: string;
  waiting: string[];
  sending: string[];
}

export interface HandOverCount {
  state: LoginState;
  /** Algorithm of the hash, or the reason why there is none. Undefined for third-party logins. */
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

export interface FactorCounts {
  totpUsers: number;
  roleUsers: number;
  phoneUsers: number;
}

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

/** Methods throw AppError STORAGE_UNAVAILABLE if the database cannot be reached. */
export interface HandOverStore {
  count(): Promise<UsersToHandOver>;
  /** Starts a hand-over, or returns the one that has not finished. */
  begin(start: {
    handOverId: string;
    keyName: string;
    unlinked: boolean;
    secretCheck: Buffer;
  }): Promise<{ handOver: HandOver; isNew: boolean }>;
  find(handOverId: string): Promise<HandOver | undefined>;
  /** Returns the newest hand-overs first. */
  list(limit: number): Promise<HandOver[]>;
  counts(handOverId: string): Promise<HandOverCount[]>;
  /** Counts waiting logins of all hand-overs. `unset`: how many of them have no password and cannot sign in here. */
  countWaiting(): Promise<{ waiting: number; unset: number }>;
  movedByDay(handOverId: string): Promise<MovedOnDay[]>;
  /** Returns logins that the core refused, in the order of their ids, after the given id. */
  listRefused(handOverId: string, after: string | undefined, limit: number): Promise<RefusedLogin[]>;
  /** Returns the newest hand-over, unless it was undone. */
  latest(): Promise<HandOver | undefined>;

  /**
   * Reserves an unfinished hand-over for `owner`, or renews the reservation. Returns undefined if there is none, or if
   * another owner has reserved it.
   */
  claim(owner: string, forMs: number): Promise<HandOver | undefined>;
  release(owner: string): Promise<void>;
  setProblem(handOverId: string, problem: string | undefined): Promise<void>;
  /** Returns the next users who are not in the core. `lastUserId` is undefined if no users are left. */
  nextUsers(handOver: HandOver, limit: number): Promise<{ users: DepartingUser[]; lastUserId?: string }>;
  /** Returns a user to hand over to the core. Undefined if the user was removed or is in the core. */
  departing(userId: string): Promise<DepartingUser | undefined>;
  /** Returns users who have a login in state `sending`, in the order of their ids. */
  sendingUsers(handOverId: string, after: string | undefined, limit: number): Promise<DepartingUser[]>;
  countSending(handOverId: string): Promise<number>;
  /** Removes the records of logins in state `sending` that were removed from this service. */
  forgetGone(handOverId: string): Promise<void>;
  markStaged(recipeUserIds: readonly string[]): Promise<void>;
  /**
   * Records logins as `sending` before they are sent. After that, nothing in this service changes the users,
   * except the hashes of waiting logins.
   * @returns the users as they are now, without those who were removed since they were read
   */
  recordSending(
    handOverId: string,
    users: readonly DepartingUser[],
    logins: readonly LoginRecord[],
  ): Promise<DepartingUser[]>;
  record(handOverId: string, logins: readonly LoginRecord[]): Promise<void>;
  /** Records that all users up to this id were processed, in the order of ids. Some may still be in state `sending`. */
  advance(handOverId: string, userId: string): Promise<void>;
  finish(handOverId: string): Promise<void>;

  /** Starts to undo a hand-over. @returns false if the hand-over is unknown or was undone before */
  beginUndo(handOverId: string): Promise<boolean>;
  nextToUndo(handOverId: string, limit: number): Promise<UserToUndo[]>;
  forget(recipeUserIds: readonly string[]): Promise<void>;
  finishUndo(handOverId: string): Promise<void>;

  /** Returns whether a hand-over has sent a user with this id to the core. */
  hasCoreUser(coreId: string): Promise<boolean>;
  findLogin(recipeUserId: string): Promise<(LoginRecord & { handOverId: string }) | undefined>;
  /** Locks a login in state `waiting`. Returns false if it is locked already, or has another state. */
  lock(recipeUserId: string, forMs: number): Promise<boolean>;
  unlock(recipeUserId: string): Promise<void>;
  /**
   * Changes a `waiting` login to `state`. Returns false if it was not `waiting`. Otherwise its hash in this service is
   * void, and must be removed.
   */
  endWaiting(recipeUserId: string, state: 'moved' | 'changed'): Promise<boolean>;
  hashRemoved(recipeUserId: string): Promise<void>;
  /** Returns logins in state `moved` or `changed` whose void hash was not removed yet. */
  withHashLeft(limit: number): Promise<string[]>;
}
