/** Steps that end with nobody waiting, before one more may be under way. */
const QUIET_STEPS = 4;

/** From so many on there is no limit but that of each import itself. */
const FULL_PACE = 8;

/**
 * Bulk work gives way to people. Its steps (a chunk of a stream, a batch of staged users, a step of a rollback) run as many
 * at once as their imports like while nobody waits; one at a time, over all imports, from the moment a single call comes,
 * and more again as they find nobody waiting.
 */
export class BulkPace {
  #waitingCalls = 0;
  /** Has a call come, or waited, since a step began or ended last? */
  #wasBusy = false;
  #quietSteps = QUIET_STEPS * FULL_PACE;
  #running = 0;
  readonly #queue = new Set<() => void>();

  /** A single call has come. Returns what tells that it is answered. */
  call(): () => void {
    this.#waitingCalls += 1;
    this.#wasBusy = true;
    this.#quietSteps = 0;
    return () => {
      this.#waitingCalls -= 1;
    };
  }

  /** Runs a step when there is room for it, first come, first served. */
  async step<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#limit || this.#queue.size > 0) {
      await new Promise<void>((resolve) => this.#queue.add(resolve));
    } else {
      this.#running += 1;
    }
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#quietSteps = this.#waitingCalls === 0 && !this.#wasBusy ? this.#quietSteps + 1 : 0;
      this.#wasBusy = this.#waitingCalls > 0;
      this.#admit();
    }
  }

  #admit(): void {
    for (const begin of this.#queue) {
      if (this.#running >= this.#limit) return;
      this.#queue.delete(begin);
      this.#running += 1;
      begin();
    }
  }

  get #limit(): number {
    const limit = 1 + Math.floor(this.#quietSteps / QUIET_STEPS);
    return limit >= FULL_PACE ? Number.POSITIVE_INFINITY : limit;
  }
}
