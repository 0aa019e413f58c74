import { AppError } from '../../lib/errors.ts';

export interface BatcherOptions<In, Out> {
  /** Items with equal keys are never in two runs at the same time, and stay in the order of their calls. */
  key(item: In): string;
  /** Returns results in the order of the items. If `run` fails, it must fail for all items. */
  run(items: In[]): Promise<Out[]>;
  /** Returns whether a single item may have caused the error. The items then run one by one. */
  isItemFault(error: unknown): boolean;
  maxItems: number;
  maxRuns: number;
  /** Minimum milliseconds between the beginnings of two runs. A call that arrives later does not wait. */
  everyMs?: number;
  /** Maximum number of items that wait or are running. Further calls get OVERLOADED. */
  maxPending: number;
}

interface Job<In, Out> {
  item: In;
  resolve(value: Out): void;
  reject(error: unknown): void;
}

/**
 * Maximum milliseconds that a small batch waits for more items while others are running. The answers of
 * a batch bring the next calls over several turns of the event loop. Without the wait, the first few of them
 * would become a batch of their own, which costs nearly as much as a large one.
 */
const PATIENCE_MS = 20;

/**
 * Joins simultaneous calls into batches, because a statement reads or writes hundreds of rows in little more time than
 * one row (docs/adr/0005-folding.md).
 */
export class Batcher<In, Out> {
  readonly #options: BatcherOptions<In, Out>;
  /** Calls that the next batch may take, only the first one with each key. */
  #ready: Job<In, Out>[] = [];
  /** Calls that wait until the item of an earlier call with the same key has run, by key and in order. */
  readonly #followers = new Map<string, Job<In, Out>[]>();
  #runs = 0;
  #running = 0;
  #pending = 0;
  #scheduled = false;
  #timer: { timeout: NodeJS.Timeout; dueMs: number } | undefined;
  #isPatienceOver = false;
  /** Time at which the next run may begin, as `performance.now` returns it. */
  #earliestMs = 0;

  constructor(options: BatcherOptions<In, Out>) {
    this.#options = options;
  }

  call(item: In): Promise<Out> {
    if (this.#pending >= this.#options.maxPending) {
      return Promise.reject(new AppError('OVERLOADED', 'Service is overloaded: too many calls wait'));
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

  /**
   * Schedules a run, if calls wait and fewer than `maxRuns` runs are active. While few calls wait, or `everyMs` has not
   * passed, a timer does it later. The run begins with `setImmediate`, so that it has all calls that have arrived.
   */
  #schedule(): void {
    if (this.#scheduled || this.#ready.length === 0 || this.#runs >= this.#options.maxRuns) return;
    const waitMs = this.#areFew() ? PATIENCE_MS : this.#earliestMs - performance.now();
    if (waitMs > 0) {
      this.#wakeIn(waitMs);
      return;
    }
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      clearTimeout(this.#timer?.timeout);
      this.#timer = undefined;
      this.#isPatienceOver = false;
      this.#earliestMs = performance.now() + (this.#options.everyMs ?? 0);
      const jobs = this.#ready.splice(0, this.#options.maxItems);
      this.#runs += 1;
      this.#running += jobs.length;
      this.#schedule();
      void this.#runJobs(jobs).finally(() => {
        this.#runs -= 1;
        this.#running -= jobs.length;
        for (const { item } of jobs) this.#finish(this.#options.key(item));
        this.#schedule();
      });
    });
  }

  #wakeIn(ms: number): void {
    const dueMs = performance.now() + ms;
    if (this.#timer !== undefined && this.#timer.dueMs <= dueMs) return;
    clearTimeout(this.#timer?.timeout);
    const timeout = setTimeout(() => {
      this.#timer = undefined;
      this.#isPatienceOver = true;
      this.#schedule();
    }, ms);
    this.#timer = { timeout, dueMs };
  }

  /**
   * Returns whether fewer items wait than are running. They then wait for more, so that fewer and larger statements are
   * sent.
   */
  #areFew(): boolean {
    const { maxItems } = this.#options;
    return !this.#isPatienceOver && this.#ready.length < Math.min(this.#running, maxItems);
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
