/** Calls that somebody waits for. `hashing`: they take tens of milliseconds by themselves, on threads of their own. */
export type CallKind = 'quick' | 'hashing';

/** Steps that end while nobody waits, before one more may be under way. */
const QUIET_STEPS = 4;

/** From so many on there is no limit but that of each import itself. */
const FULL_PACE = 8;

const MOST_QUIET_STEPS = QUIET_STEPS * FULL_PACE;

/**
 * Bulk work gives way to people (docs/adr/0015-bulk-pace.md). Its steps (the writing of a chunk, a batch of staged users, a
 * step of a rollback) run as many at once as their imports like while nobody waits. From the moment a call comes it is one
 * at a time, over all imports of this instance, and beside quick calls in small parts; more again as steps find nobody
 * waiting.
 */
export class BulkPace {
  readonly #waiting: Record<CallKind, number> = { quick: 0, hashing: 0 };
  /** Has a call come since a step ended last? */
  readonly #hasCome: Record<CallKind, boolean> = { quick: false, hashing: false };
  readonly #quietSteps: Record<CallKind, number> = { quick: MOST_QUIET_STEPS, hashing: MOST_QUIET_STEPS };
  readonly #queue = new Set<() => void>();
  #running = 0;

  /** A call has come. Returns what tells that it is answered. */
  call(kind: CallKind): () => void {
    this.#waiting[kind] += 1;
    this.#hasCome[kind] = true;
    this.#quietSteps[kind] = 0;
    return () => {
      this.#waiting[kind] -= 1;
    };
  }

  /** Do quick calls come, so that work is to be done in small parts? */
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
   * As `step`, for work that goes on after it. Resolves to what ends the step; calling that again does nothing. Whoever waits
   * for a step must hold no connection: those who have one may wait for a connection.
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
