export interface PollerOptions {
  /** One look, and all the work it finds. Long work asks `isStopped` between its steps. */
  work(): Promise<void>;
  /** Pause between two looks in ms. It varies by a fifth, so that instances that start together drift apart. */
  pauseMs: number;
  /** Takes what `work` throws. The next look comes all the same. */
  onError(error: unknown): void;
}

/** Runs the same work again and again: after each pause, and whenever it is woken. Never twice at the same time. */
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

  /** Looks now, and from then on after each pause. */
  start(): void {
    this.#polls = true;
    this.wake();
  }

  /** Looks now; where it is at work, once more when that is done. Does nothing after `stop`. */
  wake(): void {
    if (this.#isStopped) return;
    this.#isAsked = true;
    this.#round ??= this.#look();
  }

  /** Looks, and resolves when it has done all it could find. */
  async idle(): Promise<void> {
    this.wake();
    await this.#round;
  }

  /** Looks no more. Resolves when the work in hand is done. */
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
    // It keeps no process alive.
    this.#timer = setTimeout(() => this.wake(), pauseMs * (0.8 + Math.random() * 0.4)).unref();
  }
}
