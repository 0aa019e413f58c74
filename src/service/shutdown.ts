import { setTimeout as sleep } from 'node:timers/promises';

/** One step of a stop. When `deadline` aborts there is no more time: the step cuts short what is not done. */
export type StopStep = (deadline: AbortSignal) => Promise<void>;

/**
 * How long steps that are taken together may take once the deadline has passed, in ms: enough to cut short what is under
 * way. A stop has three such stages, which together stay within the second that it may take beyond its time.
 */
const CUT_SHORT_MS = 300;

/**
 * Stops what was started, in reverse order. All steps share one deadline: those that come after it still begin, and get
 * only the time it takes to cut them short.
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
