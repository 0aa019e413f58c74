import type { Passwords } from '../hashing/passwords.ts';
import { CallLimit } from '../lib/call-limit.ts';
import { verifyPasswordHash } from '../passwords/verify-password-hash.ts';
import { normalizeEmail } from '../users/email.ts';
import type { PasswordLogin, UserStore } from '../users/user-store.ts';
import type { MovedStore } from './moves.ts';

const HOUR_MS = 60 * 60_000;

/** Maximum number of sign-ins that wait to be rehearsed. Their passwords stay in memory until then. */
const MAX_WAITING = 50;

/**
 * Caller of the rehearsal's hash computations, in place of the name of an API key. The gate limits the computations of
 * each caller separately.
 */
const CALLER = 'a rehearsal';

export interface RehearsedSignIn {
  identifier: string;
  password: string;
  /** Whether the old system accepted the password. */
  wasRight: boolean;
}

/** Sign-ins that the old system accepted, of logins whose hashes have one family and come from one import. */
export interface RehearsedGroup {
  algorithm: string;
  /** Left out if no import is recorded: a single call created the user, or the record is too old. */
  importId?: string;
  matches: number;
  /** Number of mismatches by cause: a code of `MISTAKES`, `DISABLED` or `unknown`. */
  causes: Record<string, number>;
}

export interface RehearsalReport {
  groups: RehearsedGroup[];
  /** Sign-ins that the old system accepted, of people who are not in this service or have no hash here. */
  unknown: number;
  /** Passwords that the old system refused, and that match here. */
  alarms: number;
  /** Passwords that the old system refused, and that do not match here. */
  wrongInBoth: number;
  /** Sign-ins that were not rehearsed: the service was busy, or had rehearsed the person within the hour. */
  dropped: number;
}

export interface RehearsalDeps {
  store: UserStore;
  moved: Pick<MovedStore, 'importOf'>;
  passwords: Passwords;
  now(): number;
  onError(error: unknown): void;
}

/**
 * Verifies passwords that people type into the old system, before anybody moves, and counts who could sign in here.
 * Handles one sign-in at a time, only while no real sign-in waits for a hash computation, and stores nothing.
 */
export class Rehearsal {
  readonly #deps: RehearsalDeps;
  readonly #once: CallLimit;
  readonly #waiting: RehearsedSignIn[] = [];
  readonly #groups = new Map<string, RehearsedGroup>();
  readonly #counts = { unknown: 0, alarms: 0, wrongInBoth: 0, dropped: 0 };
  #isWorking = false;

  constructor(deps: RehearsalDeps) {
    this.#deps = deps;
    this.#once = new CallLimit({ most: 1, windowMs: HOUR_MS, now: deps.now });
  }

  /** Queues a sign-in, and does not wait until it is rehearsed. */
  add(signIn: RehearsedSignIn): void {
    const email = normalizeEmail(signIn.identifier);
    if (this.#waiting.length >= MAX_WAITING || (email !== undefined && !this.#once.take(email))) {
      this.#counts.dropped += 1;
      return;
    }
    this.#waiting.push(signIn);
    if (!this.#isWorking) void this.#work();
  }

  report(): RehearsalReport {
    return structuredClone({ groups: [...this.#groups.values()], ...this.#counts });
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    // The work begins in a later turn of the event loop, so that the caller gets its answer first.
    await new Promise(setImmediate);
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      try {
        await this.#rehearse(next);
      } catch (error) {
        this.#counts.dropped += 1;
        this.#deps.onError(error);
      }
    }
    this.#isWorking = false;
  }

  async #rehearse({ identifier, password, wasRight }: RehearsedSignIn): Promise<void> {
    const email = normalizeEmail(identifier);
    const login = email === undefined ? undefined : await this.#deps.store.findPasswordLogin(email);
    const verdict = await this.#verdictOn(login, password, wasRight);
    if (!wasRight) {
      this.#counts[verdict === 'match' ? 'alarms' : 'wrongInBoth'] += 1;
      return;
    }
    if (login === undefined || !('hash' in login)) {
      this.#counts.unknown += 1;
      return;
    }
    const group = await this.#groupOf(login);
    if (verdict === 'match') group.matches += 1;
    else group.causes[verdict] = (group.causes[verdict] ?? 0) + 1;
  }

  /**
   * Returns `match`, or the cause of a mismatch. The cause is only searched for if the old system accepted the
   * password.
   */
  async #verdictOn(login: PasswordLogin | undefined, password: string, wasRight: boolean): Promise<string> {
    const { passwords } = this.#deps;
    if (login === undefined || !('hash' in login) || password === '') return 'unknown';
    const { encoded: passwordHash, algorithm: hashingAlgorithm, secretId } = login.hash;
    if (!wasRight) {
      const hash = passwords.registry.read(login.hash);
      const { matches } = await passwords.tryOut({ hash, password: Buffer.from(password) }, CALLER);
      return matches && !login.isDisabled ? 'match' : 'unknown';
    }
    const request = { passwordHash, hashingAlgorithm, password, caller: CALLER };
    const { match, mistake } = await verifyPasswordHash(this.#deps, {
      ...request,
      ...(typeof secretId === 'string' && { hashingSecretId: secretId }),
    });
    if (match) return login.isDisabled ? 'DISABLED' : 'match';
    return mistake?.code ?? 'unknown';
  }

  async #groupOf(login: PasswordLogin & { hash: { algorithm: string } }): Promise<RehearsedGroup> {
    const { algorithm } = login.hash;
    const importId = await this.#deps.moved.importOf(login.recipeUserId);
    const key = `${algorithm} ${importId}`;
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const group = { algorithm, ...(importId !== undefined && { importId }), matches: 0, causes: {} };
    this.#groups.set(key, group);
    return group;
  }
}
