/**
 * Calls that somebody waits for. `hashing`: calls that take tens of milliseconds for a hash, most of them on libuv's
 * threads.
 */
export type CallKind = 'quick' | 'hashing';

/** How many steps must end while nobody waits, before one more may run at once. */
const QUIET_STEPS = 4;

/** Number of steps at once from which there is no common limit. Each import has a limit of its own. */
const FULL_PACE = 8;

const MOST_QUIET_STEPS = QUIET_STEPS * FULL_PACE;

/**
 * Slows bulk work down beside calls (docs/adr/0015-bulk-pace.md). A step of bulk work writes a chunk, decides a chunk of a dry run,
 * creates a batch of staged users, or is a step of a rollback. While no call waits, imports run as many steps at once as they like. When a
 * call comes, one step runs at a time over all imports of this instance; beside quick calls, steps are also cut into small parts. More
 * steps run at once again as steps find no call waiting.
 */
export class BulkPace {
  readonly #waiting: Record<CallKind, number> = { quick: 0, hashing: 0 };
  /** Has a call come since a step ended last? */
  readonly #hasCome: Record<CallKind, boolean> = { quick: false, hashing: false };
  readonly #quietSteps: Record<CallKind, number> = { quick: MOST_QUIET_STEPS, hashing: MOST_QUIET_STEPS };
  readonly #queue = new Set<() => void>();
  #running = 0;

  /** Tells of a call that has come. Returns a function that tells that it was answered. */
  call(kind: CallKind): () => void {
    this.#waiting[kind] += 1;
    this.#hasCome[kind] = true;
    this.#quietSteps[kind] = 0;
    return () => {
      this.#waiting[kind] -= 1;
    };
  }

  /** Do quick calls come? Then work is to be done in small parts. */
  get isHeldBack(): boolean {
    return this.#quietSteps.quick < QUIET_STEPS;
  }

  /** Runs a step when there is room for it, first come, first served. */
  async step<T>(work: () => Promise<T>): Promise<T> {
    const end = await this.beginStep();
    try {
      return await work();
    } finally {
      end();
    }
  }

  /**
   * Does what `step` does, for work whose end does not end the step. Resolves to a function that ends the step; further calls of the
   * function do nothing. A caller must not hold a connection while it waits for a step, because running steps may be waiting for one.
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
