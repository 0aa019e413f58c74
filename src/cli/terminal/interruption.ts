import { Stopped } from '../stopped.ts';
import type { Io } from './terminal.ts';

/**
 * Ctrl-C, and signals that ask to end. The first one ends the process at once, unless some work wants to end by itself; the
 * second always does.
 */
export class Interruption {
  readonly #io: Io;
  readonly #controller = new AbortController();
  readonly #off: () => void;
  #exitCode: number | undefined;
  #isPatient = false;

  constructor(io: Io) {
    this.#io = io;
    this.#off = io.onSignal((exitCode) => this.#onSignal(exitCode));
  }

  /** Aborted by the first signal. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get exitCode(): number {
    return this.#exitCode ?? 130;
  }

  /** Does work that ends by itself, soon after `signal` has aborted. */
  async patiently<T>(work: () => Promise<T>): Promise<T> {
    this.#isPatient = true;
    try {
      return await work();
    } finally {
      this.#isPatient = false;
    }
  }

  /** @throws {Stopped} where a signal has come */
  throwIfAny(): void {
    if (this.signal.aborted) throw new Stopped('', { exitCode: this.exitCode });
  }

  close(): void {
    this.#off();
  }

  #onSignal(exitCode: number): void {
    const isSecond = this.#exitCode !== undefined;
    this.#exitCode ??= exitCode;
    if (isSecond || !this.#isPatient) this.#io.exit(this.#exitCode);
    this.#controller.abort(new Stopped('', { exitCode: this.#exitCode }));
  }
}
