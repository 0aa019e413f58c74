import type { HashRegistry } from '../hashing/registry.ts';
import type { Strength } from '../hashing/verifier.ts';
import type { HashGroup, UserStore } from './user-store.ts';

/** Logins of one statement: some 50 ms of the database, so that a count is never in the way of calls. */
const PAGE_LOGINS = 20_000;
/** A count that is no older is not made again: whoever asks every second causes one count a minute. */
const FRESH_MS = 60_000;
/** Time that a call waits for a count in progress, in ms. */
const WAIT_MS = 1000;

/** Logins whose hashes have algorithm, class and origin in common. */
export interface CensusGroup {
  algorithm: string;
  strength: Strength | 'unknown';
  setBy: HashGroup['setBy'];
  logins: number;
  /** Number of them who have signed in with this hash, or whose hash was upgraded when they did. */
  signedIn: number;
}

export interface Census {
  /** When the count began and how long it took, ms. Logins that change meanwhile are counted as they are met. */
  countedAtMs: number;
  durationMs: number;
  /** Largest first. */
  groups: CensusGroup[];
}

/** Counts who has what hash, in the background and page by page, at most once a minute. */
export class HashCensus {
  readonly #store: Pick<UserStore, 'countHashes'>;
  readonly #registry: HashRegistry;
  readonly #now: () => number;
  #latest: Census | undefined;
  #counting: Promise<void> | undefined;
  #isStopped = false;

  constructor({
    store,
    registry,
    now,
  }: {
    store: Pick<UserStore, 'countHashes'>;
    registry: HashRegistry;
    now: () => number;
  }) {
    this.#store = store;
    this.#registry = registry;
    this.#now = now;
  }

  /**
   * Returns the latest count, or undefined if there is none yet, and whether another count is in progress.
   * @throws what the store throws, where the first count fails while the call waits for it
   */
  async read(): Promise<{ latest: Census | undefined; isCounting: boolean }> {
    const age =
      this.#latest === undefined ? Number.POSITIVE_INFINITY : this.#now() - this.#latest.countedAtMs;
    if (age > FRESH_MS && !this.#isStopped) this.#counting ??= this.#begin();
    if (this.#counting !== undefined) {
      const counted = this.#waitFor(this.#counting);
      await (this.#latest === undefined ? counted : counted.catch(() => {}));
    }
    return { latest: this.#latest, isCounting: this.#counting !== undefined };
  }

  /** Ends a count that is under way after the statement in hand. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#counting?.catch(() => {});
  }

  #begin(): Promise<void> {
    const counting = this.#count().finally(() => {
      this.#counting = undefined;
    });
    // A call that waits for the count gets the error. If no call waits, the next one begins another count.
    counting.catch(() => {});
    return counting;
  }

  async #waitFor(counting: Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, WAIT_MS);
    });
    await Promise.race([counting, enough]).finally(() => clearTimeout(timer));
  }

  async #count(): Promise<void> {
    const countedAtMs = this.#now();
    const groups = new Map<string, CensusGroup>();
    let after: string | undefined = '';
    while (after !== undefined) {
      if (this.#isStopped) return;
      const page = await this.#store.countHashes(after, PAGE_LOGINS);
      for (const group of page.groups) this.#add(groups, group);
      after = page.last;
    }
    this.#latest = {
      countedAtMs,
      durationMs: this.#now() - countedAtMs,
      groups: [...groups.values()].sort((a, b) => b.logins - a.logins),
    };
  }

  #add(groups: Map<string, CensusGroup>, { algorithm, strength, setBy, logins, signedIn }: HashGroup): void {
    // Written before the class was kept, or by a version that knows more algorithms than this one.
    const known = strength ?? this.#registry.find(algorithm)?.strength ?? 'unknown';
    const key = `${algorithm} ${known} ${setBy}`;
    const group = groups.get(key) ?? { algorithm, strength: known, setBy, logins: 0, signedIn: 0 };
    group.logins += logins;
    group.signedIn += signedIn;
    groups.set(key, group);
  }
}
