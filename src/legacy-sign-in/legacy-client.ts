import { createHmac, randomUUID } from 'node:crypto';
import type { lookup } from 'node:dns';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { CallLimit } from '../lib/call-limit.ts';
import { AppError } from '../lib/errors.ts';
import { permittedLookup } from '../lib/permitted-addresses.ts';

const PREFIX = 'whsec_';

/** Returns the key of a secret in the form of Standard Webhooks: `whsec_` and base64. */
export const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64');

/**
 * Returns the headers that sign a request, as defined by Standard Webhooks
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md). The receiver should
 * refuse old timestamps and ids that it has seen.
 */
export function signedHeaders(
  key: Buffer,
  { id, nowMs, body }: { id: string; nowMs: number; body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}

/** The breaker opens after MAX_FAULTS failures among the last WINDOW calls to the legacy system. */
const WINDOW = 20;
const MAX_FAULTS = 10;

/** Milliseconds until an open breaker permits one call as a test. */
const OPEN_MS = 10_000;

export interface BreakerDeps {
  now(): number;
  /** Called when the breaker opens, and again only after it has closed. */
  onOpen(reason: string): void;
  onClose(): void;
}

/** Stops calls to a legacy system while most of them fail, so that callers get an error without waiting. */
export class CircuitBreaker {
  readonly #deps: BreakerDeps;
  #recent: boolean[] = [];
  #openedAtMs: number | undefined;
  #isTrying = false;

  constructor(deps: BreakerDeps) {
    this.#deps = deps;
  }

  get isOpen(): boolean {
    return this.#openedAtMs !== undefined;
  }

  /** Whether `permits` would return true. Reading it does not use up the test call of an open breaker. */
  get wouldPermit(): boolean {
    if (this.#openedAtMs === undefined) return true;
    return !this.#isTrying && this.#deps.now() - this.#openedAtMs >= OPEN_MS;
  }

  /** Returns whether a call may be made now. After each permitted call, `succeeded` or `failed` must be called. */
  permits(): boolean {
    if (!this.wouldPermit) return false;
    this.#isTrying = this.#openedAtMs !== undefined;
    return true;
  }

  succeeded(): void {
    this.#add(true);
    if (this.#openedAtMs === undefined) return;
    this.#openedAtMs = undefined;
    this.#isTrying = false;
    this.#recent = [];
    this.#deps.onClose();
  }

  failed(reason: string): void {
    this.#add(false);
    if (this.#openedAtMs !== undefined) {
      if (this.#isTrying) this.#openedAtMs = this.#deps.now();
      this.#isTrying = false;
    } else if (this.#recent.filter((isWell) => !isWell).length >= MAX_FAULTS) {
      this.#openedAtMs = this.#deps.now();
      this.#deps.onOpen(reason);
    }
  }

  #add(isWell: boolean): void {
    this.#recent.push(isWell);
    if (this.#recent.length > WINDOW) this.#recent.shift();
  }
}

const MAX_CONNECTIONS = 32;
const MAX_WAITING = 256;

/** Maximum size of an answer, enough for a user with much metadata. */
const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * Maximum number of calls about one address per minute. Look-ups may be more frequent, because an SDK looks up the
 * address several times during one sign-in.
 */
const VERIFIES_PER_MINUTE = 10;
const LOOKUPS_PER_MINUTE = 30;

/** Milliseconds between two log lines about faults of the legacy system. */
const LOG_PAUSE_MS = 10_000;

const RECENT_CALLS = 20;

/**
 * Age from which on `waitAsCall` no longer imitates a failed call. Otherwise, imitated failures would never end if no
 * new calls were made.
 */
const RECENT_FAULT_MS = 10 * 60_000;

export type LegacyQuestion =
  | { type: 'verify'; email: string; password: string }
  | { type: 'lookup'; email: string };

export interface LegacyClientDeps {
  url: URL;
  /** The setting `legacy_signin_secret`. */
  secret: string;
  timeoutMs: number;
  allowsPrivate: boolean;
  resolve?: typeof lookup | undefined;
  now(): number;
  /** The logged texts contain no personal data. `fault` and `refused` are called at most every ten seconds. */
  log: {
    fault(reason: string): void;
    refused(reason: string): void;
    opened(reason: string): void;
    closed(): void;
  };
}

const unavailable = (cause?: unknown) =>
  new AppError(
    'LEGACY_UNAVAILABLE',
    'The legacy system does not answer, so the password cannot be verified',
    {
      cause,
    },
  );

/**
 * An answer of a working legacy system that cannot be used for one user. It does not open the circuit
 * breaker, because whoever has such an account could otherwise stop the sign-ins of everybody. The message is
 * logged, and therefore contains no value of the answer.
 */
export class InvalidAnswer extends Error {}

/** An answer by which a working legacy system says that it cannot judge one user at the moment. */
export class UnclearAnswer extends InvalidAnswer {}

const overloaded = (what: string) => new AppError('OVERLOADED', `Service is overloaded: ${what}`);

const TYPES = ['verify', 'lookup'] as const;

/**
 * `unclear`: the system cannot judge the user at the moment. `fault`: no usable answer. `not_sent`: a limit or the circuit
 * breaker prevented the call.
 */
const OUTCOMES = ['ok', 'refused', 'unclear', 'fault', 'not_sent'] as const;
export type CallOutcome = (typeof OUTCOMES)[number];

export interface CallCounts {
  calls: Record<LegacyQuestion['type'], Record<CallOutcome, number>>;
  pending: number;
  isBreakerOpen: boolean;
}

/** Parses the text of an answer. Throws InvalidAnswer if the answer is invalid for this user only. */
type ReadAnswer<T extends { status: string } = { status: string }> = (text: string) => T;

interface FinishedCall {
  durationMs: number;
  /** Undefined if the legacy system answered the call. */
  failedAtMs: number | undefined;
  isAboutNobody: boolean;
}

/** Client of the legacy system. Calls are signed, never repeated, and limited in number, time and size. */
export class LegacyClient {
  readonly #deps: LegacyClientDeps;
  readonly #pool: Pool;
  readonly #key: Buffer;
  readonly #breaker: CircuitBreaker;
  readonly #limits: Record<LegacyQuestion['type'], CallLimit>;
  /** The last calls of type `verify`, the only type that `waitAsCall` imitates. */
  readonly #recent: FinishedCall[] = [];
  readonly #outcomes = Object.fromEntries(
    TYPES.map((type) => [type, Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0]))]),
  ) as CallCounts['calls'];
  #lastFaultMs = Number.NEGATIVE_INFINITY;
  #lastRefusalMs = Number.NEGATIVE_INFINITY;
  #pending = 0;

  constructor(deps: LegacyClientDeps) {
    const { url, secret, timeoutMs, allowsPrivate, resolve, now, log } = deps;
    this.#deps = deps;
    this.#key = keyOf(secret);
    this.#pool = new Pool(url.origin, {
      connections: MAX_CONNECTIONS,
      pipelining: 1,
      connect: { timeout: timeoutMs, lookup: permittedLookup(url, { allowsPrivate }, resolve) },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      maxResponseSize: MAX_ANSWER_BYTES,
    });
    this.#breaker = new CircuitBreaker({ now, onOpen: log.opened, onClose: log.closed });
    this.#limits = {
      verify: new CallLimit({ most: VERIFIES_PER_MINUTE, now }),
      lookup: new CallLimit({ most: LOOKUPS_PER_MINUTE, now }),
    };
  }

  /**
   * Asks the legacy system.
   * @throws {AppError} LEGACY_UNAVAILABLE if there is no usable answer, OVERLOADED if too many calls wait or were made
   * about this address
   */
  async ask<T extends { status: string }>(question: LegacyQuestion, read: ReadAnswer<T>): Promise<T> {
    const refusal = this.#refusalOf(question);
    if (refusal !== undefined) {
      this.#outcomes[question.type].not_sent += 1;
      throw refusal;
    }
    return this.#call(question, read, false);
  }

  async #call<T extends { status: string }>(
    question: LegacyQuestion,
    read: ReadAnswer<T>,
    isAboutNobody: boolean,
  ): Promise<T> {
    const outcomes = this.#outcomes[question.type];
    if (!this.#breaker.permits()) {
      outcomes.not_sent += 1;
      throw unavailable();
    }
    const started = performance.now();
    let failedAtMs: number | undefined;
    this.#pending += 1;
    try {
      const answer = read(await this.#send(question));
      this.#breaker.succeeded();
      outcomes[answer.status === 'OK' ? 'ok' : 'refused'] += 1;
      return answer;
    } catch (error) {
      failedAtMs = this.#deps.now();
      outcomes[error instanceof UnclearAnswer ? 'unclear' : 'fault'] += 1;
      const reason = reasonOf(error);
      if (error instanceof InvalidAnswer) this.#breaker.succeeded();
      else this.#breaker.failed(reason);
      this.report(reason);
      throw unavailable(error);
    } finally {
      this.#pending -= 1;
      const call = { durationMs: performance.now() - started, failedAtMs, isAboutNobody };
      if (question.type === 'verify' && this.#recent.push(call) > RECENT_CALLS) this.#recent.shift();
    }
  }

  /**
   * Waits as long as one of the recent calls took, and fails if that call failed. An attacker therefore cannot find out
   * which users the legacy system is asked about. If there are no recent calls, for example after a start, the legacy
   * system is asked about a random address that nobody has.
   * @throws {AppError} the errors of `ask`
   */
  async waitAsCall(email: string, read: ReadAnswer): Promise<void> {
    const refusal =
      this.#refusalOf({ type: 'verify', email }) ?? (this.#breaker.wouldPermit ? undefined : unavailable());
    if (refusal !== undefined) throw refusal;
    const like = this.#someRecentCall();
    if (like === undefined) {
      const nobody = { email: `${randomUUID()}@nobody.invalid`, password: randomUUID() };
      await this.#call({ type: 'verify', ...nobody }, read, true);
      return;
    }
    await sleep(like.durationMs);
    if (like.failedAtMs !== undefined) throw unavailable();
  }

  /**
   * Returns a random recent call. Calls about random addresses are only used if there are no others, because calls
   * about real users may take longer.
   */
  #someRecentCall(): FinishedCall | undefined {
    const oldest = this.#deps.now() - RECENT_FAULT_MS;
    const recent = this.#recent.filter(({ failedAtMs = Number.POSITIVE_INFINITY }) => failedAtMs > oldest);
    const aboutPeople = recent.filter(({ isAboutNobody }) => !isAboutNobody);
    const drawn = aboutPeople.length > 0 ? aboutPeople : recent;
    return drawn[Math.floor(Math.random() * drawn.length)];
  }

  report(reason: string): void {
    if (this.#breaker.isOpen || this.#deps.now() - this.#lastFaultMs < LOG_PAUSE_MS) return;
    this.#lastFaultMs = this.#deps.now();
    this.#deps.log.fault(reason);
  }

  /** Logs why the legacy system refuses a user whatever the password is, such as `RESET_REQUIRED`. */
  reportRefusal(reason: string): void {
    if (this.#deps.now() - this.#lastRefusalMs < LOG_PAUSE_MS) return;
    this.#lastRefusalMs = this.#deps.now();
    this.#deps.log.refused(reason);
  }

  /** Logs that an answer cannot be used, and returns the error for the caller. */
  refuse(reason: string): AppError {
    this.report(reason);
    return unavailable(new Error(reason));
  }

  counts(): CallCounts {
    return { calls: this.#outcomes, pending: this.#pending, isBreakerOpen: this.#breaker.isOpen };
  }

  /** Aborts all calls to the legacy system. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  /**
   * Returns the error if the call must not be made. The call counts against the limit of its address in either case.
   */
  #refusalOf({ type, email }: { type: LegacyQuestion['type']; email: string }): AppError | undefined {
    if (!this.#limits[type].take(email))
      return overloaded('too many attempts with this address, wait a minute');
    return this.#pending < MAX_CONNECTIONS + MAX_WAITING
      ? undefined
      : overloaded('too many calls wait for the legacy system');
  }

  async #send(question: LegacyQuestion): Promise<string> {
    const { url, timeoutMs, now } = this.#deps;
    const body = JSON.stringify(question);
    const { statusCode, body: answer } = await this.#pool.request({
      method: 'POST',
      path: url.pathname + url.search,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...signedHeaders(this.#key, { id: `msg_${randomUUID()}`, nowMs: now(), body }),
      },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (statusCode !== 200) {
      answer.on('error', () => {}).destroy();
      // Redirects are not followed, because they could send the password to another host.
      throw new Error(`it answers with HTTP status ${statusCode}`);
    }
    return answer.text();
  }
}

/** Returns the text to log. Errors of undici and Node contain at most the name of the host. */
const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
