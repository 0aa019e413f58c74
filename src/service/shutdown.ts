import { setTimeout as sleep } from 'node:timers/promises';

/** Step of stopping the service. When `deadline` aborts, the step must end its unfinished work at once. */
export type StopStep = (deadline: AbortSignal) => Promise<void>;

/**
 * Time to end running work after the deadline of a stop, for each stage of steps. Only three stages have such
 * work, so that together they take less than a second.
 */
const CUT_SHORT_MS = 300;

/** Stops the parts of the service in the reverse order of their start, with one deadline for all. */
export class Shutdown {
  readonly #timeoutMs: number;
  readonly #onError: (error: unknown) => void;
  readonly #stages: (readonly StopStep[])[] = [];

  constructor(timeoutMs: number, onError: (error: unknown) => void) {
    this.#timeoutMs = timeoutMs;
    this.#onError = onError;
  }

  /** Adds steps that run at the same time, and before the steps that were added earlier. */
  add(...steps: readonly StopStep[]): void {
    this.#stages.push(steps);
  }

  /** Runs all steps. Never throws: errors of steps are reported. */
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
