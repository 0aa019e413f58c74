import { createHash } from 'node:crypto';
import type { Passwords } from '../hashing/passwords.ts';
import type { ParsedHash } from '../hashing/verifier.ts';
import { CallLimit } from '../lib/call-limit.ts';
import { AppError } from '../lib/errors.ts';
import type { Counter, Histogram, Metrics } from '../lib/metrics.ts';
import { acceptHash } from '../passwords/accept-hash.ts';
import type { HashInRequest } from '../passwords/verify-password-hash.ts';
import { normalizeEmail } from '../users/email.ts';
import { signIn } from '../users/sign-in.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import { type Asker, type Hook, isAnswered, type MovedStore } from './moves.ts';

/** Maximum number of wrong passwords for one login or one unknown identifier, per minute and instance. */
const WRONG_PER_MINUTE = 10;

const LOOKUPS_PER_MINUTE = 30;

/** Upper bounds of the histogram's buckets, in seconds. Providers wait for an answer for 3 to 5 s. */
const SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5];

const NO_UPGRADES = { offer: () => {} };

export interface HookSettings {
  /** Time from which on all hooks fail, in milliseconds since the epoch. */
  untilMs: number | undefined;
  timeoutMs: number;
  keepDays: number;
}

/** User to find: by an e-mail address as it was typed, or by an id, which may be external or of this service. */
export type Whom = { identifier: string } | { userId: string };

export type Question = Whom & {
  password: string;
  /** If given, only the user with this id matches. */
  externalUserId?: string | undefined;
  /** Whether the provider asks only as long as it has no password of the user. */
  asksWhileWaiting: boolean;
  by: Asker;
};

/** A user, and the address of the password login that a provider asks about. */
export interface FoundLogin {
  user: User;
  email: string;
}

export interface HookDeps {
  store: UserStore;
  moved: MovedStore;
  passwords: Passwords;
  metrics: Metrics;
  now(): number;
}

/**
 * Answers identity providers that ask whether a password is a user's old one. The same answer is given, after nearly
 * the same time, for a wrong password, an unknown identifier, a disabled user, a user without a hash and one who has
 * moved. Everything else throws, because the provider must not take it for a wrong password.
 */
export class PasswordHooks {
  readonly #deps: HookDeps;
  readonly #settings: HookSettings;
  readonly #wrong: CallLimit;
  /**
   * Separate from `#wrong`: a caller may send any number of hashes, and each new count may push out an old one, so that
   * the counts of logins would be lost.
   */
  readonly #wrongForHashes: CallLimit;
  readonly #lookups: CallLimit;
  readonly #answers: Counter<'hook' | 'outcome'>;
  readonly #seconds: Histogram<'hook'>;

  constructor(deps: HookDeps, settings: HookSettings) {
    this.#deps = deps;
    this.#settings = settings;
    const { now, metrics } = deps;
    this.#wrong = new CallLimit({ most: WRONG_PER_MINUTE, now });
    this.#wrongForHashes = new CallLimit({ most: WRONG_PER_MINUTE, now });
    this.#lookups = new CallLimit({ most: LOOKUPS_PER_MINUTE, now });
    this.#answers = metrics.counter(
      'user_import_hook_answers_total',
      'Answers of password hooks by outcome: match, no_match, or fault. Refused keys and bodies do not count.',
      ['hook', 'outcome'],
    );
    this.#seconds = metrics.histogram(
      'user_import_hook_seconds',
      'Time that password hooks take.',
      ['hook'],
      SECONDS,
    );
  }

  /**
   * Verifies the password of a stored user, and records that the user moves. Returns undefined if it does not match.
   * @param describe returns the answer for a match. It runs before the move is recorded, so that a user whose answer
   * fails does not move
   * @throws {AppError} HOOKS_ENDED, HOOK_LIMIT, HOOK_TIMEOUT, OVERLOADED, STORAGE_UNAVAILABLE
   */
  async verify<T>(
    question: Question,
    signal: AbortSignal,
    describe: (found: FoundLogin) => Promise<T>,
  ): Promise<T | undefined> {
    const email = await this.#inTime(() => this.#emailOf(question), signal);
    // Wrong passwords are counted by address, so that all identifiers of a login share one count.
    const key = email ?? keyOf(question);
    return this.#guarded(question.by.hook, this.#wrong, key, signal, async (inTime) => {
      if (email !== undefined) return this.#verifyLogin(email, question, inTime, describe);
      await this.#deps.passwords.verifyDecoy(key, Buffer.from(question.password), inTime);
      return undefined;
    });
  }

  /**
   * Returns the normalised address, or that of the login with the id, or that of the first password login of the user.
   */
  async #emailOf(whom: Whom): Promise<string | undefined> {
    if ('identifier' in whom) return normalizeEmail(whom.identifier);
    const { userId: id } = whom;
    const user = await this.#deps.store.findUser(id);
    const logins = user?.loginMethods.filter(({ recipeId }) => recipeId === 'emailpassword') ?? [];
    const named = logins.find(({ recipeUserId, externalId }) => recipeUserId === id || externalId === id);
    return (named ?? logins[0])?.email;
  }

  async #verifyLogin<T>(
    email: string,
    question: Question,
    signal: AbortSignal,
    describe: (found: FoundLogin) => Promise<T>,
  ): Promise<T | undefined> {
    const { store, moved, passwords, now } = this.#deps;
    const { password, externalUserId, asksWhileWaiting, by } = question;
    const deps = { store, passwords, now, upgrades: NO_UPGRADES };
    const signedIn = await signIn(deps, { email, password }, signal);
    if (signedIn.outcome === 'wrong-credentials') return undefined;
    const { user, recipeUserId, hash } = signedIn.login;
    if (externalUserId !== undefined && !isIdOf(user, recipeUserId, externalUserId)) return undefined;
    const { keepDays } = this.#settings;
    const known = await moved.find(recipeUserId);
    if (!isAnswered(known, { asksWhileWaiting, keepDays, nowMs: now() })) return undefined;
    const answer = await describe({ user, email });
    signal.throwIfAborted();
    const recorded = await moved.recordMatch({ email, recipeUserId, userId: user.id }, hash, by);
    return recorded === 'recorded' ? answer : undefined;
  }

  /**
   * Verifies a password with a hash that the provider holds. Nothing is recorded.
   * @throws as `verify`, and {AppError} FIELD_INVALID if the hash may be of several families, or what `acceptHash` throws
   */
  async verifyHash(
    { password, ...asked }: HashInRequest & { password: string },
    signal?: AbortSignal,
  ): Promise<{ algorithm: string; matches: boolean }> {
    const { passwords } = this.#deps;
    const hash = this.#parse(asked);
    const key = digestOf(hash.encoded);
    const trial = { hash, password: Buffer.from(password) };
    const matched = await this.#guarded('hash', this.#wrongForHashes, key, signal, async (inTime) =>
      (await passwords.check(trial, inTime, key)) && password !== '' ? hash : undefined,
    );
    return { algorithm: hash.algorithm, matches: matched !== undefined };
  }

  /**
   * Parses the hash of a request. A hash that cannot be verified counts as a fault, because its hashing secret may have
   * been lost.
   */
  #parse({ passwordHash, hashingAlgorithm, hashingSecretId }: HashInRequest): ParsedHash {
    const { registry } = this.#deps.passwords;
    try {
      const isClaimed = !registry.recognise(passwordHash) && registry.resembling(passwordHash).length > 0;
      if (hashingAlgorithm === undefined && isClaimed)
        throw new AppError(
          'FIELD_INVALID',
          "Field name 'hashingAlgorithm' is invalid in JSON input: it is required for this hash, which several families claim",
        );
      return acceptHash(registry, passwordHash, hashingAlgorithm, { id: hashingSecretId });
    } catch (error) {
      this.#answers.inc({ hook: 'hash', outcome: 'fault' });
      throw error;
    }
  }

  /** Returns a user without verifying a password. Undefined if the user is unknown or disabled. */
  async lookup(whom: Whom): Promise<FoundLogin | undefined> {
    this.#requireTime();
    if (!this.#lookups.take(keyOf(whom))) throw tooMany('look-ups');
    const { store } = this.#deps;
    return this.#inTime(async () => {
      const email = await this.#emailOf(whom);
      const login = email === undefined ? undefined : await store.findPasswordLogin(email);
      if (email === undefined || login === undefined || login.isDisabled) return undefined;
      const user = await store.findUser(login.recipeUserId);
      return user && { user, email };
    });
  }

  /**
   * Deletes the old hash of a user who has a new password at the provider: of the login with the address, or of all
   * logins of the user with the external id. If both are given, the login must have both.
   */
  async changed(
    { identifier, externalUserId }: { identifier?: string | undefined; externalUserId?: string | undefined },
    by: Asker,
  ): Promise<void> {
    const { store, moved } = this.#deps;
    this.#requireTime();
    await this.#inTime(async () => {
      const email = identifier === undefined ? undefined : normalizeEmail(identifier);
      if (identifier !== undefined && email === undefined) return;
      const login = email === undefined ? undefined : await store.findPasswordLogin(email);
      const id = email === undefined ? externalUserId : login?.recipeUserId;
      const user = id === undefined ? undefined : await store.findUser(id);
      for (const method of user?.loginMethods ?? []) {
        if (user === undefined || method.recipeId !== 'emailpassword') continue;
        if (email !== undefined && method.email !== email) continue;
        if (externalUserId !== undefined && !isIdOf(user, method.recipeUserId, externalUserId)) continue;
        await moved.recordChange(
          { email: method.email, recipeUserId: method.recipeUserId, userId: user.id },
          by,
        );
      }
    });
  }

  /**
   * Runs `work`, measures it, and counts wrong passwords. After too many of them, the call fails even with the right
   * password.
   */
  async #guarded<T>(
    hook: Hook,
    wrong: CallLimit,
    key: string,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const stopTimer = this.#seconds.startTimer({ hook });
    let outcome = 'fault';
    try {
      this.#requireTime();
      if (!wrong.take(key)) throw tooMany('wrong passwords');
      try {
        const result = await this.#inTime(work, signal);
        outcome = result === undefined ? 'no_match' : 'match';
        return result;
      } finally {
        if (outcome !== 'no_match') wrong.giveBack(key);
      }
    } finally {
      stopTimer();
      this.#answers.inc({ hook, outcome });
    }
  }

  #requireTime(): void {
    const { untilMs } = this.#settings;
    if (untilMs !== undefined && this.#deps.now() >= untilMs)
      throw new AppError('HOOKS_ENDED', 'Password hooks have ended (password_hooks_until)');
  }

  /**
   * Runs `work` with a time limit. When the time is up, its signal is aborted, so that it begins nothing more.
   * @throws {AppError} HOOK_TIMEOUT
   */
  async #inTime<T>(work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { timeoutMs } = this.#settings;
    const late = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const timeUp = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const error = new AppError(
          'HOOK_TIMEOUT',
          `No answer within ${timeoutMs} ms (password_hooks_timeout_ms)`,
        );
        late.abort(error);
        reject(error);
      }, timeoutMs);
    });
    const signals = signal === undefined ? [late.signal] : [late.signal, signal];
    try {
      return await Promise.race([work(AbortSignal.any(signals)), timeUp]);
    } finally {
      clearTimeout(timer);
    }
  }
}

const tooMany = (what: string) =>
  new AppError('HOOK_LIMIT', `Too many ${what} for one identifier within a minute`);

/** Returns the key under which calls are counted. It is short, however long the identifier is. */
function keyOf(whom: Whom): string {
  if ('identifier' in whom) return normalizeEmail(whom.identifier) ?? digestOf(whom.identifier);
  return digestOf(`id ${whom.userId}`);
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('base64');

/**
 * Returns whether `id` is the external id of the user or login. For a user without an external id, the id here counts.
 */
function isIdOf(user: User, recipeUserId: string, id: string): boolean {
  const method = user.loginMethods.find((one) => one.recipeUserId === recipeUserId);
  return (
    id === (user.externalId ?? user.id) || (method?.externalId !== undefined && id === method.externalId)
  );
}
