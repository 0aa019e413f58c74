import type { PasswordHash } from '../hashing/verifier.ts';

/** Ways in which identity providers ask for old passwords (docs/password-hooks.md). */
export const HOOKS = ['hash', 'rehearse', 'verify', 'kratos', 'keycloak', 'okta'] as const;
export type Hook = (typeof HOOKS)[number];

/** Returns whether the hook records who has moved. The others keep no state. */
export const movesUsers = (hook: Hook) => hook !== 'hash' && hook !== 'rehearse';

/**
 * State of a login whose password an identity provider has, or may have. `moved`: a hook said that it matches. `changed`:
 * the user has another password there. `gone`: the hash was deleted, some time after the last match. A login without a
 * state waits.
 */
export type MoveState = 'moved' | 'changed' | 'gone';

export interface MovedLogin {
  state: MoveState;
  /** Milliseconds since the epoch, as `lastMatchMs`. */
  movedAtMs: number;
  lastMatchMs: number;
}

/** The provider that asks, by its hook and its key. */
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
  /** Logins that have moved, by key, day (UTC, such as `2026-11-24`), family and state. */
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
   * Records a match, of which the first moves the login. Locks the login, so that an import or a change of the password
   * comes before or after.
   * @param hash the verified one
   * @returns `refused` if the login has moved on: its password was changed at the provider, or its hash deleted
   * @throws {Contended} if the login has another hash by now
   */
  recordMatch(login: MovingLogin, hash: PasswordHash, by: Asker): Promise<'recorded' | 'refused'>;
  /** Voids the hash of a login, whatever its state, and deletes it. */
  recordChange(login: MovingLogin, by: Asker): Promise<void>;
  /** Deletes hashes of logins whose last match is older than `days`. Returns their number, at most some hundreds. */
  expire(days: number): Promise<number>;
  progress(): Promise<Progress>;
  /** Returns the import that created the user of a login. */
  importOf(recipeUserId: string): Promise<string | undefined>;
  /** Returns logins that wait, in the order of addresses, after `afterEmail`. */
  waiting(afterEmail: string, limit: number): Promise<WaitingLogin[]>;
}

const DAY_MS = 24 * 60 * 60_000;

/** Callers that do not know who waits repeat a first sign-in whose answer was lost. */
const REPEAT_MS = 10 * 60_000;

/**
 * Returns whether a right password of a login is a match. A password that was changed at the provider is never accepted
 * here in place of the new one.
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
