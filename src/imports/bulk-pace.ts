/**
 * Kind of an HTTP call that somebody waits for. `hashing`: the call computes a password hash, which takes tens of
 * milliseconds on libuv's threads.
 */
export type CallKind = 'quick' | 'hashing';

/** Number of steps of bulk work without a waiting call, after which one more step may run concurrently. */
const QUIET_STEPS = 4;

/**
 * Number of concurrent steps from which on their total is not limited any more. Then only each import's own limit
 * applies.
 */
const FULL_PACE = 8;

const MOST_QUIET_STEPS = QUIET_STEPS * FULL_PACE;

/**
 * Slows bulk work down while HTTP calls are being answered (docs/adr/0015-bulk-pace.md).
 *
 * A step is the unit of bulk work: writing a chunk, deciding a chunk of a dry run, creating a batch of staged users, or
 * one step of a rollback. While no call waits, imports run any number of steps concurrently. When a call arrives, this
 * instance runs one step at a time over all imports. While quick calls arrive, steps are also cut into small parts. The
 * limit rises again as steps end without a waiting call.
 */
export class BulkPace {
  readonly #waiting: Record<CallKind, number> = { quick: 0, hashing: 0 };
  /** For each kind of call, whether one has arrived since the last step of bulk work ended. */
  readonly #hasCome: Record<CallKind, boolean> = { quick: false, hashing: false };
  readonly #quietSteps: Record<CallKind, number> = { quick: MOST_QUIET_STEPS, hashing: MOST_QUIET_STEPS };
  readonly #queue = new Set<() => void>();
  #running = 0;

  /** Records that an HTTP call has arrived. Returns a function to run once the call has been answered. */
  call(kind: CallKind): () => void {
    this.#waiting[kind] += 1;
    this.#hasCome[kind] = true;
    this.#quietSteps[kind] = 0;
    return () => {
      this.#waiting[kind] -= 1;
    };
  }

  get isHeldBack(): boolean {
    return this.#quietSteps.quick < QUIET_STEPS;
  }

  /** Whether no call has arrived for so long that any number of steps may run. */
  get isUnlimited(): boolean {
    return this.#limit === Number.POSITIVE_INFINITY;
  }

  /** Runs a step as soon as the limit permits, in the order of requests. */
  async step<T>(work: () => Promise<T>): Promise<T> {
    const end = await this.beginStep();
    try {
      return await work();
    } finally {
      end();
    }
  }

  /**
   * Waits until a step may begin. Returns a function that ends the step; the caller must call it. While waiting, the
   * caller must hold no database connection that running steps may need.
   */
  async beginStep(): Promise<() => void> {
    if (this.#queue.size > 0 || this.#running >= this.#limit) {
      await new Promise<void>((resolve) => this.#queue.add(resolve));
    } else {
      this.#running += 1;
    }
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#running -= 1;
      this.#countStep('quick');
      this.#countStep('hashing');
      this.#admit();
    };
  }

  #countStep(kind: CallKind): void {
    const isBusy = this.#waiting[kind] > 0 || this.#hasCome[kind];
    this.#hasCome[kind] = false;
    this.#quietSteps[kind] = isBusy ? 0 : Math.min(this.#quietSteps[kind] + 1, MOST_QUIET_STEPS);
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
    const limit = 1 + Math.floor(Math.min(this.#quietSteps.quick, this.#quietSteps.hashing) / QUIET_STEPS);
    return limit >= FULL_PACE ? Number.POSITIVE_INFINITY : limit;
  }
}
