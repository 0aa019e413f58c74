import { setTimeout as sleep } from 'node:timers/promises';

/** Pause between two checks, short compared with the start or end of a process or server. */
const PAUSE_MS = 20;

/** Checks the condition repeatedly. Returns false if `timeoutMs` passes first. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  timeoutMs: number,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) return false;
    await sleep(PAUSE_MS);
  }
  return true;
}

/**
 * Returns the result of the promise, or undefined if it takes longer than `ms` milliseconds. A later result or error is
 * lost, unless the caller handles the promise elsewhere, too.
 */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns the milliseconds before the next attempt, or undefined to give up. May throw another error instead.
 * @param attempt number of the failed attempt, from 1
 */
export type PauseAfter = (
  error: unknown,
  attempt: number,
) => number | undefined | Promise<number | undefined>;

/**
 * Repeats work after errors, as `pauseAfter` decides. It is not for loops that repeat because of a result. If `signal`
 * aborts before the next attempt, its reason is thrown.
 */
export async function retry<T>(
  work: (attempt: number) => Promise<T>,
  pauseAfter: PauseAfter,
  signal?: AbortSignal,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      const pauseMs = await pauseAfter(error, attempt);
      if (pauseMs === undefined) throw error;
      if (pauseMs > 0) await sleep(pauseMs, undefined, signal && { signal }).catch(() => {});
      signal?.throwIfAborted();
    }
  }
}

/**
 * Returns a PauseAfter that retries temporary errors (`mayPass`) at once, with `maxAttempts` attempts in all.
 */
export const upTo =
  (maxAttempts: number, mayPass: (error: unknown) => boolean): PauseAfter =>
  (error, attempt) =>
    attempt < maxAttempts && mayPass(error) ? 0 : undefined;

export interface PollerOptions {
  /** Does all work that is due. Long work should check `isStopped` between its steps. */
  work(): Promise<void>;
  /** Pause between two rounds. It varies by up to a fifth, so that instances started together drift apart. */
  pauseMs: number;
  /** Called if a round of work fails. The next round takes place anyway. */
  onError(error: unknown): void;
}

/** Repeats background work after each pause and whenever it is woken. Rounds never overlap. */
export class Poller {
  readonly #options: PollerOptions;
  #round: Promise<void> | undefined;
  #isAsked = false;
  #polls = false;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  start(): void {
    this.#polls = true;
    this.wake();
  }

  /** Starts a round now, or after the running one. Does nothing after `stop`. */
  wake(): void {
    if (this.#isStopped) return;
    this.#isAsked = true;
    this.#round ??= this.#look();
  }

  /** Wakes the poller. Resolves when no work is left to do. */
  async idle(): Promise<void> {
    this.wake();
    await this.#round;
  }

  /** Resolves when the running round is finished. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#round;
  }

  async #look(): Promise<void> {
    const { work, pauseMs, onError } = this.#options;
    clearTimeout(this.#timer);
    while (this.#isAsked && !this.#isStopped) {
      this.#isAsked = false;
      await work().catch(onError);
    }
    this.#round = undefined;
    if (!this.#polls || this.#isStopped) return;
    // The timer does not keep the process alive.
    this.#timer = setTimeout(() => this.wake(), pauseMs * (0.8 + Math.random() * 0.4)).unref();
  }
}
