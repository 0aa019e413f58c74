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
  /**
   * Digest that shows whether the configured secret is still the one from which the placeholder password was
   * derived (placeholder.ts).
   */
  secretCheck: Buffer;
}

/** A user whom the hand-over sends to the core, as stored in this service. */
export interface DepartingUser {
  user: User;
  /** The user's metadata as the text of a JSON object, exactly as it is stored in this service. */
  metadata: string | undefined;
  /** Encrypted second factors, roles and phone numbers of the user (src/users/factor-vault.ts). */
  factors?: Buffer | undefined;
  /** Second factors and roles as further members of the user in the request to the core. */
  extras?: object | undefined;
  /** Password hashes of the logins, by recipe user id. */
  hashes: ReadonlyMap<string, PasswordHash>;
  /** Reasons why password logins have no hash, by recipe user id. */
  noHashes: ReadonlyMap<string, NoHash>;
  /**
   * Whether the core may have the user already, because an earlier attempt to send the user was interrupted.
   */
  mayBeThere: boolean;
  /**
   * Whether the core has accepted the user for its bulk import, by which it creates the user some minutes
   * later.
   */
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
  /** Day in UTC on which the logins moved to the core, such as `2026-11-24`. */
  day: string;
  logins: number;
}

export interface RefusedLogin {
  recipeUserId: string;
  userId: string;
  reason: string;
}

/** Number of users with each kind of second factor or role. */
export interface FactorCounts {
  totpUsers: number;
  roleUsers: number;
  phoneUsers: number;
}

/** Numbers about all users that the operator sees before a hand-over starts. */
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

/**
 * Database records of hand-overs. Methods throw AppError STORAGE_UNAVAILABLE if the database cannot be
 * reached.
 */
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
  /** Returns hand-overs, the newest first. */
  list(limit: number): Promise<HandOver[]>;
  counts(handOverId: string): Promise<HandOverCount[]>;
  /**
   * Counts the logins that wait for a first sign-in, over all hand-overs. `unset` counts those without a
   * password, which this service cannot sign in.
   */
  countWaiting(): Promise<{ waiting: number; unset: number }>;
  movedByDay(handOverId: string): Promise<MovedOnDay[]>;
  /** Returns logins that the core refused, in the order of their ids, after the given id. */
  listRefused(handOverId: string, after: string | undefined, limit: number): Promise<RefusedLogin[]>;
  /** Returns the newest hand-over, unless it was undone. */
  latest(): Promise<HandOver | undefined>;

  /**
   * Reserves an unfinished hand-over for an instance of the service, or renews its reservation. Returns
   * undefined if there is none, or if another instance has reserved it.
   */
  claim(owner: string, forMs: number): Promise<HandOver | undefined>;
  release(owner: string): Promise<void>;
  setProblem(handOverId: string, problem: string | undefined): Promise<void>;
  /**
   * Reads the next users of this service, and returns those who are not in the core. `lastUserId` is the last
   * user that was read. It is undefined if no users are left.
   */
  nextUsers(handOver: HandOver, limit: number): Promise<{ users: DepartingUser[]; lastUserId?: string }>;
  /** Returns a user to hand over to the core. Undefined if the user was removed or is in the core. */
  departing(userId: string): Promise<DepartingUser | undefined>;
  /** Returns users who have a login in state `sending`, in the order of their ids. */
  sendingUsers(handOverId: string, after: string | undefined, limit: number): Promise<DepartingUser[]>;
  countSending(handOverId: string): Promise<number>;
  /** Removes the records of logins in state `sending` that were removed from this service. */
  forgetGone(handOverId: string): Promise<void>;
  /** Records that the core has accepted these logins for its bulk import. */
  markStaged(recipeUserIds: readonly string[]): Promise<void>;
  /**
   * Records these logins of users as `sending`, before they are sent. After that, nothing in this service
   * changes their users any more, except the hashes of logins that wait.
   * @returns the users as they are now: they may have changed since they were read, and those who were removed
   * are left out
   */
  recordSending(
    handOverId: string,
    users: readonly DepartingUser[],
    logins: readonly LoginRecord[],
  ): Promise<DepartingUser[]>;
  record(handOverId: string, logins: readonly LoginRecord[]): Promise<void>;
  /**
   * Records that the hand-over has dealt with all users up to this one. Some may still be in state `sending`.
   */
  advance(handOverId: string, userId: string): Promise<void>;
  finish(handOverId: string): Promise<void>;

  /** Starts to undo a hand-over. @returns false if the hand-over is unknown or was undone before */
  beginUndo(handOverId: string): Promise<boolean>;
  /** Returns users in the core who have a login in state `waiting` or `sending`. */
  nextToUndo(handOverId: string, limit: number): Promise<UserToUndo[]>;
  forget(recipeUserIds: readonly string[]): Promise<void>;
  finishUndo(handOverId: string): Promise<void>;

  findLogin(recipeUserId: string): Promise<(LoginRecord & { handOverId: string }) | undefined>;
  /**
   * Locks a login in state `waiting` for `forMs` milliseconds, so that only one caller changes its password
   * in the core. Returns false if another caller holds the lock, or if the login has another state.
   */
  lock(recipeUserId: string, forMs: number): Promise<boolean>;
  unlock(recipeUserId: string): Promise<void>;
  /**
   * Changes the state of a login that was `waiting`. Its hash in this service is void from then on, and must
   * be removed.
   * @returns false if the login had another state
   */
  endWaiting(recipeUserId: string, state: 'moved' | 'changed'): Promise<boolean>;
  hashRemoved(recipeUserId: string): Promise<void>;
  /**
   * Returns ids of logins in state `moved` or `changed` whose void hash was not removed from this service
   * yet.
   */
  withHashLeft(limit: number): Promise<string[]>;
}
