import { setTimeout as sleep } from 'node:timers/promises';

/** A part of a stop. `deadline` aborts when there is no more time: what is not done then is to be cut short. */
export type StopStep = (deadline: AbortSignal) => Promise<void>;

/**
 * How long steps that are taken together may take once the deadline has passed, in ms: enough to cut short what is under
 * way. All of them stay within the second that a stop may take beyond its time.
 */
const CUT_SHORT_MS = 300;

/**
 * What was started, to be stopped in reverse order. All waits share one deadline: after it each step still begins, and is
 * waited for no longer than it takes to cut it short.
 */
export class Shutdown {
  readonly #timeoutMs: number;
  readonly #onError: (error: unknown) => void;
  readonly #stages: (readonly StopStep[])[] = [];

  constructor(timeoutMs: number, onError: (error: unknown) => void) {
    this.#timeoutMs = timeoutMs;
    this.#onError = onError;
  }

  /** Adds steps that are taken at the same time, before those that were added before. */
  add(...steps: readonly StopStep[]): void {
    this.#stages.push(steps);
  }

  /** Never throws. */
  async run(): Promise<void> {
    const deadline = AbortSignal.timeout(this.#timeoutMs);
    const passed = new Promise<void>((resolve) => deadline.addEventListener('abort', () => resolve()));
    // The timer of the deadline would not keep the process alive.
    const alive = setInterval(() => {}, this.#timeoutMs + CUT_SHORT_MS);
    for (const steps of this.#stages.splice(0).reverse()) {
      const taken = Promise.all(steps.map(async (step) => step(deadline).catch(this.#onError)));
      await Promise.race([taken, passed]);
      if (deadline.aborted) await Promise.race([taken, sleep(CUT_SHORT_MS, undefined, { ref: false })]);
    }
    clearInterval(alive);
  }
}
