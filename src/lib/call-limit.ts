const MINUTE_MS = 60_000;

const MAX_ADDRESSES = 100_000;

/** Limits the number of calls for each e-mail address within a period, so that nobody can guess passwords. */
export class CallLimit {
  readonly #most: number;
  readonly #windowMs: number;
  readonly #now: () => number;
  readonly #counts = new Map<string, { sinceMs: number; calls: number }>();

  /** @param windowMs defaults to a minute */
  constructor({ most, windowMs = MINUTE_MS, now }: { most: number; windowMs?: number; now: () => number }) {
    this.#most = most;
    this.#windowMs = windowMs;
    this.#now = now;
  }

  /** Counts a call. Returns false if the address has used up its calls. */
  take(email: string): boolean {
    const nowMs = this.#now();
    const known = this.#counts.get(email);
    if (known !== undefined && nowMs - known.sinceMs < this.#windowMs) {
      if (known.calls >= this.#most) return false;
      known.calls += 1;
      return true;
    }
    this.#counts.delete(email);
    this.#counts.set(email, { sinceMs: nowMs, calls: 1 });
    if (this.#counts.size > MAX_ADDRESSES) {
      const [oldest] = this.#counts.keys();
      if (oldest !== undefined) this.#counts.delete(oldest);
    }
    return true;
  }

  /** Undoes `take` for a call that must not count. */
  giveBack(email: string): void {
    const known = this.#counts.get(email);
    if (known !== undefined && known.calls > 0) known.calls -= 1;
  }
}
