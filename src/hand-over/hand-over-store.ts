import type { PasswordHash } from '../hashing/verifier.ts';
import type { NoHash } from '../passwords/no-hash.ts';
import type { User } from '../users/user.ts';

/**
 * What became of a login. `sending`: nobody knows yet whether the core has it. `waiting`: the core has it with a
 * placeholder password. `moved`: the core knows the password, or there is none. `changed`: the password was changed in
 * the core before the first sign-in, so that the old hash is void. `refused`: the core does not take it.
 */
export type LoginState = 'sending' | 'waiting' | 'moved' | 'changed' | 'refused';

export const LOGIN_STATES: readonly LoginState[] = ['sending', 'waiting', 'moved', 'changed', 'refused'];

export interface HandOver {
  handOverId: string;
  /** Name of the API key that started it. */
  keyName: string;
  /** Each login method becomes a user of its own in the core. */
  unlinked: boolean;
  startedAtMs: number;
  finishedAtMs: number | undefined;
  undoStartedAtMs: number | undefined;
  undoFinishedAtMs: number | undefined;
  /** Number of users at the start. */
  totalUsers: number;
  /** Why it does not advance at the moment. */
  problem: string | undefined;
  /** Shows whether the placeholder password can still be derived (placeholder.ts). */
  secretCheck: Buffer;
}

/** A user as it is handed over. */
export interface DepartingUser {
  user: User;
  /** JSON text of an object, exactly as it is kept here. */
  metadata: string | undefined;
  /** Stored form of the factors (src/users/factor-vault.ts). */
  factors?: Buffer | undefined;
  /** Members to send beside the login methods. */
  extras?: object | undefined;
  /** Hashes of the password logins, by recipe user id. */
  hashes: ReadonlyMap<string, PasswordHash>;
  /** Why password logins have no hash, by recipe user id. */
  noHashes: ReadonlyMap<string, NoHash>;
  /** The user may be in the core already, because an earlier attempt to send it was broken off. */
  mayBeThere: boolean;
  /** The core has taken the user into its stage. */
  isStaged: boolean;
}

export interface LoginRecord {
  recipeUserId: string;
  userId: string;
  /** Id in the core of the user with this login. */
  coreId: string;
  state: LoginState;
  /** Algorithm of the hash, or why a password login has none. */
  algorithm: string | undefined;
  reason?: string | undefined;
}

/** A user of the core, and the ids of its logins by their state. */
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

/** Counts of users by the factors that are kept of them. */
export interface FactorCounts {
  totpUsers: number;
  roleUsers: number;
  phoneUsers: number;
}

/** Counts of users by what a hand-over needs to know before it starts. */
export interface UsersToHandOver extends FactorCounts {
  /** Logins of disabled users. */
  disabledLogins: number;
  users: number;
  /** Users with several login methods. */
  linkedUsers: number;
  /** Password logins by algorithm, or by the reason why they have no hash. */
  passwordLogins: { algorithm: string; logins: number }[];
  thirdPartyLogins: number;
}

/** Records of hand-overs. Methods throw AppError STORAGE_UNAVAILABLE while the database cannot be reached. */
export interface HandOverStore {
  count(): Promise<UsersToHandOver>;
  /** Starts a hand-over, or returns the one that has not ended. */
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
  /** Returns the number of waiting logins of all hand-overs. */
  countWaiting(): Promise<number>;
  movedByDay(handOverId: string): Promise<MovedOnDay[]>;
  /** Returns refused logins in the order of their ids, after this one. */
  listRefused(handOverId: string, after: string | undefined, limit: number): Promise<RefusedLogin[]>;
  /** Returns the newest hand-over, unless it was undone. */
  latest(): Promise<HandOver | undefined>;

  /**
   * Takes up work that no other instance works on, or keeps it for longer.
   * @returns undefined if there is none
   */
  claim(owner: string, forMs: number): Promise<HandOver | undefined>;
  release(owner: string): Promise<void>;
  setProblem(handOverId: string, problem: string | undefined): Promise<void>;
  /**
   * Looks at the next users, and returns those who are not in the core. `lastUserId` is the last one looked at. Undefined
   * means that all users are done.
   */
  nextUsers(handOver: HandOver, limit: number): Promise<{ users: DepartingUser[]; lastUserId?: string }>;
  /** Returns the user, unless it is gone or in the core. */
  departing(userId: string): Promise<DepartingUser | undefined>;
  /** Returns users with a login of which nobody knows whether the core has it, in the order of their ids. */
  sendingUsers(handOverId: string, after: string | undefined, limit: number): Promise<DepartingUser[]>;
  countSending(handOverId: string): Promise<number>;
  /** Forgets logins that were being sent when their users were removed here. */
  forgetGone(handOverId: string): Promise<void>;
  /** Notes that the core has taken these logins into its stage. */
  markStaged(recipeUserIds: readonly string[]): Promise<void>;
  record(handOverId: string, logins: readonly LoginRecord[]): Promise<void>;
  /** Notes that everything is known up to this user. */
  advance(handOverId: string, userId: string): Promise<void>;
  finish(handOverId: string): Promise<void>;

  /** @returns false if it is unknown, or was undone before */
  beginUndo(handOverId: string): Promise<boolean>;
  /** Returns users of the core with a login that waits or may have been sent. */
  nextToUndo(handOverId: string, limit: number): Promise<UserToUndo[]>;
  forget(recipeUserIds: readonly string[]): Promise<void>;
  finishUndo(handOverId: string): Promise<void>;

  findLogin(recipeUserId: string): Promise<(LoginRecord & { handOverId: string }) | undefined>;
  /** Excludes others from a waiting login for this long. Returns false if somebody else works on it, or it does not wait. */
  lock(recipeUserId: string, forMs: number): Promise<boolean>;
  unlock(recipeUserId: string): Promise<void>;
  /**
   * Ends the waiting of a login. Its hash is void from this moment and still to be removed.
   * @returns false if it did not wait
   */
  endWaiting(recipeUserId: string, state: 'moved' | 'changed'): Promise<boolean>;
  /**
   * Forgets that the core has refused a login, so that it is handed over again.
   * @returns false if the core has the login, or may have it
   */
  releaseRefused(recipeUserId: string): Promise<boolean>;
  hashRemoved(recipeUserId: string): Promise<void>;
  /** Returns logins whose void hash is still to be removed. */
  withHashLeft(limit: number): Promise<string[]>;
}
