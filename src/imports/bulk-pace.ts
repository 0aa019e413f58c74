/**
 * Calls that somebody waits for. `hashing`: calls that take tens of milliseconds for a hash, most of them on libuv's
 * threads.
 */
export type CallKind = 'quick' | 'hashing';

/** How many steps must end while nobody waits, before one more may run at once. */
const QUIET_STEPS = 4;

/** From so many steps at once on there is no limit here: each import has its own. */
const FULL_PACE = 8;

const MOST_QUIET_STEPS = QUIET_STEPS * FULL_PACE;

/**
 * Makes bulk work give way to calls (docs/adr/0015-bulk-pace.md). Its steps are the writing of a chunk, the deciding of one
 * in a dry run, a batch of staged users, and a step of a rollback. While nobody waits, as many run at once as their imports
 * like. When a call comes, one runs at a time, over all imports of this instance; beside quick calls work is also done in
 * small parts. As steps find nobody waiting, more run at once again.
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
   * As `step`, for work whose end does not end the step. Resolves to a function that ends it; further calls of that do
   * nothing. Whoever waits for a step must not hold a connection: steps that run may be waiting for one.
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
