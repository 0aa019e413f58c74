import { ByteCredit } from './byte-credit.ts';

/**
 * Tells when a sender is too slow: silent for too long, or sending fewer bytes a second than it must (byte-credit.ts). Only the
 * time in which the service waits for bytes counts. While the service works on what came, or the sender has an answer to read,
 * the clock stands still.
 */
export class SenderClock {
  readonly #credit: ByteCredit;
  readonly #now: () => number;
  #onLate: () => void = () => {};
  /** Not undefined while a timer runs. It may fire early, as bytes have earned time since it was set, but never late. */
  #timer: NodeJS.Timeout | undefined;
  #isWaiting = false;
  #pauses = 0;
  /** Time since which the clock has been running; undefined while it is paused. */
  #runsSinceMs: number | undefined;

  /**
   * @param limitMs longest that a sender may be silent
   * @param now a clock that never goes back, in ms
   */
  constructor(limitMs: number, now: () => number = () => performance.now()) {
    this.#credit = new ByteCredit(limitMs);
    this.#now = now;
  }

  /** Calls back when the sender is too slow: once at most, until it is called again. */
  start(onLate: () => void): void {
    this.#onLate = onLate;
  }

  /** The service begins to wait for bytes. */
  wait(): void {
    this.#isWaiting = true;
    this.#update();
  }

  /** Notes that bytes have arrived, and that nothing is waited for. */
  receive(bytes: number): void {
    this.#isWaiting = false;
    this.#update();
    this.#credit.earn(bytes);
  }

  /** Stands still until it is resumed as often as it was paused, and then goes on where it was. */
  pause(): void {
    this.#pauses += 1;
    this.#update();
  }

  resume(): void {
    this.#pauses -= 1;
    this.#update();
  }

  /** Pauses the clock while `work` runs. */
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
    // When the clock runs again, the timer is set again.
    if (this.#runsSinceMs === undefined) return;
    const now = this.#now();
    this.#credit.spend(now - this.#runsSinceMs);
    this.#runsSinceMs = now;
    if (this.#credit.isSpent) this.#onLate();
    else this.#timer = setTimeout(this.#look, this.#credit.leftMs);
  };
}
