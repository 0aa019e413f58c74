import type { HashRegistry } from '../hashing/registry.ts';
import type { Strength } from '../hashing/verifier.ts';
import type { HashGroup, HashStore } from './hash-store.ts';

/** Logins that one statement reads in about 50 ms, so that other requests are not delayed. */
const PAGE_LOGINS = 20_000;
/** Milliseconds for which a count is reused. Callers who ask every second cause one count a minute. */
const FRESH_MS = 60_000;
const WAIT_MS = 1000;

export interface CensusGroup {
  /** Algorithm, or the reason why the logins have no hash. */
  algorithm: string;
  strength: Strength | 'unknown' | 'none';
  setBy: HashGroup['setBy'];
  logins: number;
  /** Number of logins that signed in with their present hash, or got it by an upgrade at a sign-in. */
  signedIn: number;
}

export interface Census {
  /** Start of the count. A login that changes meanwhile may be counted in its old or new state. */
  countedAtMs: number;
  durationMs: number;
  /** Groups of logins, the largest first. */
  groups: CensusGroup[];
}

/** Counts the stored hashes by algorithm, strength and origin, in the background, at most once a minute. */
export class HashCensus {
  readonly #store: Pick<HashStore, 'countHashes'>;
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
    store: Pick<HashStore, 'countHashes'>;
    registry: HashRegistry;
    now: () => number;
  }) {
    this.#store = store;
    this.#registry = registry;
    this.#now = now;
  }

  /** @throws what the store throws, if the first count fails while the call waits for it */
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

  /** Never waits. If the latest count is older than `maxAgeMs`, another one starts in the background. */
  latest(maxAgeMs: number): Census | undefined {
    const age = this.#now() - (this.#latest?.countedAtMs ?? Number.NEGATIVE_INFINITY);
    if (age > maxAgeMs && !this.#isStopped) this.#counting ??= this.#begin();
    return this.#latest;
  }

  /** Ends a running count after its current statement. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#counting?.catch(() => {});
  }

  #begin(): Promise<void> {
    const counting = this.#count().finally(() => {
      this.#counting = undefined;
    });
    // If no call waits for the count, its error is dropped, and the next call starts another count.
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

  #add(
    groups: Map<string, CensusGroup>,
    { algorithm: named, strength, setBy, logins, signedIn }: HashGroup,
  ): void {
    const algorithm = typeof named === 'string' ? named : named.noHash;
    // Rows of earlier versions have no strength. Rows of newer versions may have an unknown algorithm.
    const known =
      typeof named === 'string'
        ? (strength ?? this.#registry.find(named)?.strength ?? 'unknown')
        : ('none' as const);
    const key = `${algorithm} ${known} ${setBy}`;
    const group = groups.get(key) ?? { algorithm, strength: known, setBy, logins: 0, signedIn: 0 };
    group.logins += logins;
    group.signedIn += signedIn;
    groups.set(key, group);
  }
}
