import type { PasswordHash } from '../hashing/verifier.ts';

/** Ways in which identity providers ask for old passwords (docs/password-hooks.md). */
export const HOOKS = ['hash', 'rehearse', 'verify', 'kratos', 'keycloak', 'okta'] as const;
export type Hook = (typeof HOOKS)[number];

/** Returns whether the hook records who has moved. The others keep no state. */
export const movesUsers = (hook: Hook) => hook !== 'hash' && hook !== 'rehearse';

/**
 * State of a login whose password an identity provider has, or may have. `moved`: a hook answered that the password
 * matches. `changed`: the user has another password at the provider. `gone`: the hash was deleted, some time after the
 * last match. A login without a state still waits.
 */
export type MoveState = 'moved' | 'changed' | 'gone';

export interface MovedLogin {
  state: MoveState;
  /** Time of the first match in milliseconds since the epoch. `lastMatchMs` is the time of the last match. */
  movedAtMs: number;
  lastMatchMs: number;
}

/** Identity provider that calls a hook, identified by the hook and the API key. */
export interface Asker {
  hook: Hook;
  /** Name of the API key. */
  keyName: string;
}

export interface MovingLogin {
  email: string;
  recipeUserId: string;
  userId: string;
}

export interface Progress {
  waiting: number;
  /** Number of moved logins for each API key, day (UTC, such as `2026-11-24`), hash family and state. */
  moved: { keyName: string; day: string; algorithm: string; state: MoveState; logins: number }[];
  /** Number of further matches of logins that had moved already. */
  askedAgain: number;
}

export interface WaitingLogin {
  email: string;
  externalUserId?: string;
  algorithm: string;
}

/** Methods throw AppError STORAGE_UNAVAILABLE while the database cannot be reached. */
export interface MovedStore {
  find(recipeUserId: string): Promise<MovedLogin | undefined>;
  /**
   * Records a match. The first match moves the login. The login is locked, so that an import or a change of the
   * password comes before or after.
   * @param hash the verified one
   * @returns `refused` if the password was changed at the provider, or if the hash was deleted
   * @throws {Contended} if the login has another hash by now
   */
  recordMatch(login: MovingLogin, hash: PasswordHash, by: Asker): Promise<'recorded' | 'refused'>;
  /** Deletes the hash of a login whose password was changed at the provider. The login may have any state. */
  recordChange(login: MovingLogin, by: Asker): Promise<void>;
  /**
   * Deletes hashes of logins whose last match is more than `days` days ago. Returns the number of deleted hashes. One
   * call deletes some hundreds at most.
   */
  expire(days: number): Promise<number>;
  progress(): Promise<Progress>;
  /** Returns the id of the import that created the user of a login. Undefined if it is not recorded. */
  importOf(recipeUserId: string): Promise<string | undefined>;
  /** Returns logins that wait, in the order of addresses, after `afterEmail`. */
  waiting(afterEmail: string, limit: number): Promise<WaitingLogin[]>;
}

const DAY_MS = 24 * 60 * 60_000;

/**
 * Milliseconds after a move in which the same password is answered as a match again, because the provider may not have
 * received the first answer.
 */
const REPEAT_MS = 10 * 60_000;

/**
 * Returns whether a correct password is answered as a match. After the password was changed at the provider, the old
 * one is never accepted here.
 * @param moved undefined if the login waits
 * @param asksWhileWaiting whether the provider asks only as long as it has no password of the user
 */
export function isAnswered(
  moved: MovedLogin | undefined,
  { asksWhileWaiting, keepDays, nowMs }: { asksWhileWaiting: boolean; keepDays: number; nowMs: number },
): boolean {
  if (moved === undefined) return true;
  if (moved.state !== 'moved') return false;
  return asksWhileWaiting
    ? nowMs - moved.lastMatchMs < keepDays * DAY_MS
    : nowMs - moved.movedAtMs < REPEAT_MS;
}
