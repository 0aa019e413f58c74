/** Tells when a sender has been silent for too long. The time in which it waits for this service does not count. */
export class IdleClock {
  readonly #idleMs: number;
  #timer: NodeJS.Timeout | undefined;
  #pauses = 0;

  constructor(idleMs: number) {
    this.#idleMs = idleMs;
  }

  start(onIdle: () => void): void {
    this.#timer = setTimeout(() => {
      if (this.#pauses === 0) onIdle();
    }, this.#idleMs);
  }

  /** Counts anew, as something came. */
  restart(): void {
    this.#timer?.refresh();
  }

  /** Stands still until it is resumed as often as it was paused, and then counts anew. */
  pause(): void {
    this.#pauses += 1;
  }

  resume(): void {
    this.#pauses -= 1;
    if (this.#pauses === 0) this.restart();
  }

  /** Does the work while the clock stands still. */
  readonly whilePaused = async <T>(work: () => Promise<T>): Promise<T> => {
    this.pause();
    try {
      return await work();
    } finally {
      this.resume();
    }
  };

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
