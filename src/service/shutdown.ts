import { setTimeout as sleep } from 'node:timers/promises';

/** One step of a stop. When `deadline` aborts, the step must break off its unfinished work. */
export type StopStep = (deadline: AbortSignal) => Promise<void>;

/**
 * Milliseconds that the steps of one stage may take after the deadline: enough to break off running work. A stop has
 * three such stages. Together they stay within the second that a stop may take beyond its deadline.
 */
const CUT_SHORT_MS = 300;

/**
 * Stops what was started, in reverse order. All steps share one deadline. A step that begins after the deadline only
 * gets CUT_SHORT_MS.
 */
export class Shutdown {
  readonly #timeoutMs: number;
  readonly #onError: (error: unknown) => void;
  readonly #stages: (readonly StopStep[])[] = [];

  constructor(timeoutMs: number, onError: (error: unknown) => void) {
    this.#timeoutMs = timeoutMs;
    this.#onError = onError;
  }

  /** Adds steps that run at the same time, before the steps added earlier. */
  add(...steps: readonly StopStep[]): void {
    this.#stages.push(steps);
  }

  /** Runs all steps. Never throws. */
  async run(): Promise<void> {
    const deadline = AbortSignal.timeout(this.#timeoutMs);
    const passed = new Promise<void>((resolve) => deadline.addEventListener('abort', () => resolve()));
    // Keeps the process alive, which the timer of AbortSignal.timeout() does not.
    const alive = setInterval(() => {}, this.#timeoutMs + CUT_SHORT_MS);
    for (const steps of this.#stages.splice(0).reverse()) {
      const taken = Promise.all(steps.map(async (step) => step(deadline).catch(this.#onError)));
      await Promise.race([taken, passed]);
      if (deadline.aborted) await Promise.race([taken, sleep(CUT_SHORT_MS, undefined, { ref: false })]);
    }
    clearInterval(alive);
  }
}
