import { setTimeout as sleep } from 'node:timers/promises';
import type { Strength } from '../hashing/form.ts';
import type { HashRegistry } from '../hashing/registry.ts';
import type { HashGroup, HashStore } from './hash-store.ts';

/** Number of logins that one statement counts. It takes about 50 ms, so that other requests are not delayed. */
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
  /** Number of logins that have signed in with their present hash, or got this hash by an upgrade at a sign-in. */
  signedIn: number;
}

export interface Census {
  /** Start of the count. A login that changes meanwhile may be counted in its old or new state. */
  countedAtMs: number;
  durationMs: number;
  /** Groups of logins, the largest first. */
  groups: CensusGroup[];
}

export interface HashCensusDeps {
  store: Pick<HashStore, 'countHashes'>;
  registry: HashRegistry;
  now: () => number;
}

/** Counts the stored hashes by algorithm, strength and origin, in the background, at most once a minute. */
export class HashCensus {
  readonly #deps: HashCensusDeps;
  #latest: Census | undefined;
  #counting: Promise<void> | undefined;
  #isStopped = false;

  constructor(deps: HashCensusDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the latest count. If it is older than FRESH_MS, starts another count, and waits for it for up to WAIT_MS.
   * @throws what the store throws, if the first count fails while the call waits for it
   */
  async read(): Promise<{ latest: Census | undefined; isCounting: boolean }> {
    this.latest(FRESH_MS);
    if (this.#counting !== undefined) {
      const counted = Promise.race([this.#counting, sleep(WAIT_MS, undefined, { ref: false })]);
      await (this.#latest === undefined ? counted : counted.catch(() => {}));
    }
    return { latest: this.#latest, isCounting: this.#counting !== undefined };
  }

  /**
   * Returns the latest count, and never waits. If it is older than `maxAgeMs`, another count starts in the background.
   */
  latest(maxAgeMs: number): Census | undefined {
    const age = this.#deps.now() - (this.#latest?.countedAtMs ?? Number.NEGATIVE_INFINITY);
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

  async #count(): Promise<void> {
    const countedAtMs = this.#deps.now();
    const groups = new Map<string, CensusGroup>();
    let after: string | undefined = '';
    while (after !== undefined) {
      if (this.#isStopped) return;
      const page = await this.#deps.store.countHashes(after, PAGE_LOGINS);
      for (const group of page.groups) this.#add(groups, group);
      after = page.last;
    }
    this.#latest = {
      countedAtMs,
      durationMs: this.#deps.now() - countedAtMs,
      groups: [...groups.values()].sort((a, b) => b.logins - a.logins),
    };
  }

  #add(groups: Map<string, CensusGroup>, { algorithm: named, setBy, ...group }: HashGroup): void {
    const algorithm = typeof named === 'string' ? named : named.noHash;
    // Rows of earlier versions have no strength. Rows of newer versions may have an unknown algorithm.
    const known = group.strength ?? this.#deps.registry.find(algorithm)?.strength ?? 'unknown';
    const strength = typeof named === 'string' ? known : 'none';
    const key = `${algorithm} ${strength} ${setBy}`;
    const sum = groups.get(key) ?? { algorithm, strength, setBy, logins: 0, signedIn: 0 };
    sum.logins += group.logins;
    sum.signedIn += group.signedIn;
    groups.set(key, sum);
  }
}
