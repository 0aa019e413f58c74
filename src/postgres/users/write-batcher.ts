import { AppError } from '../../lib/errors.ts';

export interface WriteBatcherOptions<In, Out> {
  /** Items with equal keys never run at the same time, and run in the order in which they came. */
  key(item: In): string;
  /** Does the work of all items at once, and returns results in their order. All of it fails or none. */
  run(items: In[]): Promise<Out[]>;
  /** May the failure be the fault of a single item? The items are then run one by one. */
  isItemFault(error: unknown): boolean;
  /** Most items of a run. */
  maxItems: number;
  /** Most runs at the same time. */
  maxRuns: number;
  /** Most items that may wait or run; a call beyond that gets OVERLOADED. */
  maxPending: number;
}

interface Job<In, Out> {
  item: In;
  resolve(value: Out): void;
  reject(error: unknown): void;
}

/**
 * Joins calls that arrive together into one run: a statement writes hundreds of rows for little more than the price of one
 * (docs/adr/0005-folding.md). A call resolves when its run has.
 */
export class WriteBatcher<In, Out> {
  readonly #options: WriteBatcherOptions<In, Out>;
  /** The jobs that the next runs take, at most one for each key. */
  #ready: Job<In, Out>[] = [];
  /** The jobs that wait behind one with the same key, which is ready or running; in order. */
  readonly #followers = new Map<string, Job<In, Out>[]>();
  #runs = 0;
  #pending = 0;
  #scheduled = false;

  constructor(options: WriteBatcherOptions<In, Out>) {
    this.#options = options;
  }

  /** @throws {AppError} OVERLOADED when too many calls wait; else what `run` threw */
  call(item: In): Promise<Out> {
    if (this.#pending >= this.#options.maxPending) {
      return Promise.reject(new AppError('OVERLOADED', 'Service is overloaded: too many writes wait'));
    }
    this.#pending += 1;
    return new Promise((resolve, reject) => {
      const job = { item, resolve, reject };
      const key = this.#options.key(item);
      const followers = this.#followers.get(key);
      if (followers !== undefined) {
        followers.push(job);
        return;
      }
      this.#followers.set(key, []);
      this.#ready.push(job);
      this.#schedule();
    });
  }

  /** Begins a run at the end of this turn of the event loop: by then all that the turn has read from sockets is here. */
  #schedule(): void {
    if (this.#scheduled || this.#ready.length === 0 || this.#runs >= this.#options.maxRuns) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      const jobs = this.#ready.splice(0, this.#options.maxItems);
      this.#runs += 1;
      this.#schedule();
      void this.#runJobs(jobs).finally(() => {
        this.#runs -= 1;
        for (const { item } of jobs) this.#finish(this.#options.key(item));
        this.#schedule();
      });
    });
  }

  async #runJobs(jobs: Job<In, Out>[]): Promise<void> {
    try {
      const results = await this.#options.run(jobs.map((job) => job.item));
      for (const [index, job] of jobs.entries()) job.resolve(results[index] as Out);
    } catch (error) {
      if (jobs.length > 1 && this.#options.isItemFault(error)) {
        for (const job of jobs) await this.#runJobs([job]);
      } else {
        for (const job of jobs) job.reject(error);
      }
    }
  }

  #finish(key: string): void {
    this.#pending -= 1;
    const next = this.#followers.get(key)?.shift();
    if (next === undefined) this.#followers.delete(key);
    else this.#ready.push(next);
  }
}
