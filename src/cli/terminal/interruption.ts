import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { CliError } from '../cli-error.ts';
import type { Io } from './terminal.ts';

/**
 * Handles signals such as Ctrl-C. The first signal ends the process at once, unless work runs in `patiently`. The
 * second always ends it.
 */
export class Interruption {
  readonly #io: Io;
  readonly #controller = new AbortController();
  #off: () => void;
  #exitCode: number | undefined;
  #isPatient = false;

  constructor(io: Io) {
    this.#io = io;
    this.#off = io.onSignal(this.#onSignal);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Runs work that ends soon after `signal` aborts. The first Ctrl-C then only aborts the signal. */
  async patiently<T>(work: () => Promise<T>): Promise<T> {
    this.#isPatient = true;
    try {
      return await work();
    } finally {
      this.#isPatient = false;
    }
  }

  /** Runs synchronous work. Signals have no listener meanwhile, so that they end the process at once. */
  readonly blocking = async (work: () => void): Promise<void> => {
    // A signal that has already come reaches its listener when Node.js polls, which happens between two immediates.
    await eventLoopTurn();
    await eventLoopTurn();
    this.#off();
    try {
      work();
    } finally {
      this.#off = this.#io.onSignal(this.#onSignal);
    }
  };

  close(): void {
    this.#off();
  }

  readonly #onSignal = (exitCode: number): void => {
    const isSecond = this.#exitCode !== undefined;
    this.#exitCode ??= exitCode;
    if (isSecond || !this.#isPatient) this.#io.exit(this.#exitCode);
    this.#controller.abort(new CliError('', this.#exitCode));
  };
}
