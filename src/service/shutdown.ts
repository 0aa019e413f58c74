import { setTimeout as sleep } from 'node:timers/promises';

/** Step of stopping the service. When `deadline` aborts, the step must end its unfinished work at once. */
export type StopStep = (deadline: AbortSignal) => Promise<void>;

/**
 * Milliseconds that the steps of one stage may take after the deadline of a stop: enough to end running work.
 * Only three stages have such work, so that together they take less than a second beyond the deadline.
 */
const CUT_SHORT_MS = 300;

/**
 * Stops the parts of the service in the reverse order of their start. All steps share one deadline. Steps
 * that run after the deadline get CUT_SHORT_MS.
 */
export class Shutdown {
  readonly #timeoutMs: number;
  readonly #onError: (error: unknown) => void;
  readonly #stages: (readonly StopStep[])[] = [];

  constructor(timeoutMs: number, onError: (error: unknown) => void) {
    this.#timeoutMs = timeoutMs;
    this.#onError = onError;
  }

  /**
   * Adds steps of stopping the service that run at the same time. They run before the steps that were added
   * by earlier calls.
   */
  add(...steps: readonly StopStep[]): void {
    this.#stages.push(steps);
  }

  /** Runs all steps of the stop. Never throws: errors of steps are reported. */
  async run(): Promise<void> {
    const deadline = AbortSignal.timeout(this.#timeoutMs);
    const passed = new Promise<void>((resolve) => deadline.addEventListener('abort', () => resolve()));
    // The interval keeps the process alive, which the timer of AbortSignal.timeout() does not.
    const alive = setInterval(() => {}, this.#timeoutMs + CUT_SHORT_MS);
    for (const steps of this.#stages.splice(0).reverse()) {
      const taken = Promise.all(steps.map(async (step) => step(deadline).catch(this.#onError)));
      await Promise.race([taken, passed]);
      if (deadline.aborted) await Promise.race([taken, sleep(CUT_SHORT_MS, undefined, { ref: false })]);
    }
    clearInterval(alive);
  }
}
