export interface PollerOptions {
  /** Does all work that is due. Long work should check `isStopped` between its steps. */
  work(): Promise<void>;
  /** The pause varies by up to a fifth, so that instances started together drift apart. */
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
