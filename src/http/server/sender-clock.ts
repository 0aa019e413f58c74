/**
 * For sending a streamed body and for reading an answer. Reading an export at one user per second is fast
 * enough; sending a byte now and then to keep the connection is not.
 */
export const LEAST_BYTES_PER_SECOND = 100;

/**
 * Time for which a caller may let this service wait. Waiting uses it up, and each byte adds a hundredth of a
 * second.
 */
export class ByteCredit {
  readonly #limitMs: number;
  #leftMs: number;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
    this.#leftMs = limitMs;
  }

  get leftMs(): number {
    return this.#leftMs;
  }

  get isSpent(): boolean {
    return this.#leftMs <= 0;
  }

  spend(ms: number): void {
    this.#leftMs -= ms;
  }

  earn(bytes: number): void {
    this.#leftMs = Math.min(this.#limitMs, this.#leftMs + (1000 * bytes) / LEAST_BYTES_PER_SECOND);
  }

  reset(): void {
    this.#leftMs = this.#limitMs;
  }
}

/**
 * Detects senders that are silent for too long, or below the minimum rate (byte-credit.ts). Only the time in
 * which the service waits for bytes counts, and in which the sender has no answer to read.
 */
export class SenderClock {
  readonly #credit: ByteCredit;
  readonly #now: () => number;
  #onLate: () => void = () => {};
  /** Timer that may fire too early, because bytes that arrive later give the sender more time, but never too late. */
  #timer: NodeJS.Timeout | undefined;
  #isWaiting = false;
  #pauses = 0;
  /** Time up to which the sender's silence has been counted. Undefined while silence does not count. */
  #runsSinceMs: number | undefined;

  /**
   * @param limitMs maximum milliseconds of silence
   * @param now a clock that never goes back, in ms
   */
  constructor(limitMs: number, now: () => number = () => performance.now()) {
    this.#credit = new ByteCredit(limitMs);
    this.#now = now;
  }

  /** `onLate` is called at most once, when the sender is too slow. */
  start(onLate: () => void): void {
    this.#onLate = onLate;
  }

  wait(): void {
    this.#isWaiting = true;
    this.#update();
  }

  /** The service does not wait for the sender until the next `wait`. */
  receive(bytes: number): void {
    this.#isWaiting = false;
    this.#update();
    this.#credit.earn(bytes);
  }

  /** Silence counts again after as many calls of `resume` as of `pause`. */
  pause(): void {
    this.#pauses += 1;
    this.#update();
  }

  resume(): void {
    this.#pauses -= 1;
    this.#update();
  }

  readonly whilePaused = async <T>(work: () => Promise<T>): Promise<T> => {
    this.pause();
    try {
      return await work();
    } finally {
      this.resume();
    }
  };

  stop(): void {
    this.#isWaiting = false;
    this.#update();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #update(): void {
    const runs = this.#isWaiting && this.#pauses === 0;
    if (runs === (this.#runsSinceMs !== undefined)) return;
    if (this.#runsSinceMs !== undefined) this.#credit.spend(this.#now() - this.#runsSinceMs);
    this.#runsSinceMs = runs ? this.#now() : undefined;
    if (runs) this.#timer ??= setTimeout(this.#look, this.#credit.leftMs);
  }

  readonly #look = (): void => {
    this.#timer = undefined;
    // While silence does not count, there is nothing to check. #update() then sets a new timer.
    if (this.#runsSinceMs === undefined) return;
    const now = this.#now();
    this.#credit.spend(now - this.#runsSinceMs);
    this.#runsSinceMs = now;
    if (this.#credit.isSpent) this.#onLate();
    else this.#timer = setTimeout(this.#look, this.#credit.leftMs);
  };
}
