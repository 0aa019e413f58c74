import type { Passwords } from '../hashing/passwords.ts';
import type { PasswordHash } from '../hashing/verifier.ts';
import { Poller } from '../lib/async/until.ts';
import { AppError } from '../lib/errors.ts';
import type { HashFingerprints } from './hash-fingerprint.ts';
import type { Rehash } from './hash-store.ts';

/** Pause between two passes. A later pass finds hashes that were imported since. */
const PAUSE_MS = 10 * 60 * 1000;

/** Places where hashes are stored. `replaced`: hashes that imports replaced, kept for rollbacks. */
export const HASH_PLACES = ['logins', 'replaced'] as const;

export type HashPlace = (typeof HASH_PLACES)[number];

/**
 * Place of a stored hash, as texts: the primary key of its row and, for `replaced`, the index of the change in the row.
 */
export type HashKey = readonly string[];

export interface BrokenHash {
  key: HashKey;
  hash: PasswordHash;
}

/** Store of hashes of strength `broken`, such as unsalted MD5, in the order of their keys. */
export interface WeakHashStore {
  /**
   * Returns the key at which the next page ends, whatever the strength of its hashes. Undefined after the last page.
   */
  endOfPage(place: HashPlace, after: HashKey | undefined): Promise<HashKey | undefined>;
  /**
   * Returns some of the broken hashes of a page. In rows without a stored strength, hashes of `algorithms` are broken.
   */
  findBroken(
    place: HashPlace,
    page: { after: HashKey | undefined; last: HashKey },
    algorithms: readonly string[],
  ): Promise<BrokenHash[]>;
  isStillKept(place: HashPlace, kept: BrokenHash): Promise<boolean>;
  /** Replaces a broken hash by its wrapped form. Returns false if another hash was stored meanwhile. */
  wrap(place: HashPlace, kept: BrokenHash, by: Rehash): Promise<boolean>;
}

export interface WeakHashWrapperDeps {
  hashes: WeakHashStore;
  passwords: Passwords;
  fingerprints: HashFingerprints;
  onError(error: unknown): void;
  /** Called after a pass that wrapped hashes or changed `left`, the number that cannot be wrapped. */
  onWrapped(counts: { wrapped: number; left: number }): void;
}

/**
 * Wraps broken hashes by hashing them once more with argon2id, one at a time, while nobody waits for a hash.
 * The work may stop at any point, because the stored hashes show what remains. Several instances work on the
 * same page, each in its own random order.
 */
export class WeakHashWrapper {
  readonly #deps: WeakHashWrapperDeps;
  #lastLeft = 0;
  readonly #poller: Poller;
  readonly #stopping = new AbortController();

  constructor(deps: WeakHashWrapperDeps) {
    const onError = (error: unknown) => {
      if (!this.#stopping.signal.aborted) deps.onError(error);
    };
    this.#deps = deps;
    this.#poller = new Poller({ work: () => this.#wrapAll(), pauseMs: PAUSE_MS, onError });
  }

  start(): void {
    this.#poller.start();
  }

  /** Wraps hashes in one pass now. Resolves when the pass has ended. */
  idle(): Promise<void> {
    return this.#poller.idle();
  }

  /** Stops the wrapper. A hash whose computation has begun is still wrapped; one that waits for the KDF gate is not. */
  stop(): Promise<void> {
    this.#stopping.abort();
    return this.#poller.stop();
  }

  async #wrapAll(): Promise<void> {
    const counts = { wrapped: 0, left: 0 };
    const errors: unknown[] = [];
    try {
      for (const place of HASH_PLACES) {
        for await (const kept of this.#brokenHashes(place)) {
          const outcome = await this.#wrap(place, kept).catch((error: unknown) => {
            // An AppError, such as an unreachable database, ends the pass. Other errors concern only this hash.
            if (error instanceof AppError || this.#poller.isStopped) throw error;
            errors.push(error);
            return 'left' as const;
          });
          if (outcome !== undefined) counts[outcome] += 1;
        }
      }
    } finally {
      // Hashes that cannot be wrapped are found in every pass, and reported only if their number has changed.
      if (counts.wrapped > 0 || counts.left !== this.#lastLeft) this.#deps.onWrapped(counts);
      this.#lastLeft = counts.left;
      // Only the first error of a pass is reported, because there may be many, mostly of one kind.
      if (errors.length > 0) this.#deps.onError(errors[0]);
    }
  }

  /** Yields the broken hashes of a place. Ends early when the wrapper is stopped. */
  async *#brokenHashes(place: HashPlace): AsyncGenerator<BrokenHash> {
    const { hashes, passwords } = this.#deps;
    const broken = passwords.registry.all.filter(({ strength }) => strength === 'broken');
    const algorithms = broken.map(({ algorithm }) => algorithm);
    let after: HashKey | undefined;
    let last = await hashes.endOfPage(place, after);
    while (last !== undefined && !this.#poller.isStopped) {
      const found = await hashes.findBroken(place, { after, last }, algorithms);
      for (const kept of shuffled(found)) {
        if (this.#poller.isStopped) return;
        yield kept;
      }
      after = found.at(-1)?.key ?? last;
      if (found.length === 0) last = await hashes.endOfPage(place, after);
    }
  }

  /** Wraps a hash. Returns undefined if the stored hash has been changed meanwhile. */
  async #wrap(place: HashPlace, kept: BrokenHash): Promise<'wrapped' | 'left' | undefined> {
    const { hashes, passwords, fingerprints } = this.#deps;
    if (!(await hashes.isStillKept(place, kept))) return undefined;
    const hash = await passwords.wrap(kept.hash, this.#stopping.signal);
    if (hash === undefined) return 'left';
    const fingerprint = fingerprints.of(passwords.registry.read(kept.hash));
    if (!(await hashes.wrap(place, kept, { hash, fingerprint }))) return undefined;
    if (place === 'logins') passwords.replaced(kept.hash, hash);
    return 'wrapped';
  }
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, draw: Math.random() }))
    .sort((a, b) => a.draw - b.draw)
    .map(({ item }) => item);
}
