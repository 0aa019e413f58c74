import type { Passwords } from '../hashing/passwords.ts';
import type { PasswordHash } from '../hashing/verifier.ts';
import { Poller } from '../lib/async/poller.ts';
import { AppError } from '../lib/errors.ts';
import type { HashFingerprints } from './hash-fingerprint.ts';
import type { Rehash } from './user-store.ts';

/** How long after one look at all hashes the next one comes: for those that were imported since. */
const PAUSE_MS = 10 * 60 * 1000;

/** Hashes of logins, and those that imports have replaced, which are kept for rollbacks. */
export const HASH_PLACES = ['logins', 'replaced'] as const;

export type HashPlace = (typeof HASH_PLACES)[number];

/** The key of a kept hash, of one text or two. */
export type HashKey = readonly string[];

export interface BrokenHash {
  key: HashKey;
  hash: PasswordHash;
}

/** The hashes of class broken that are kept, in order of their keys. */
export interface WeakHashStore {
  /** Returns the last key of the next page, whatever its hashes are, or undefined if there is no further page. */
  endOfPage(place: HashPlace, after: HashKey | undefined): Promise<HashKey | undefined>;
  /** Returns some broken hashes of a page, the next after `after`. @param algorithms those that are broken, for hashes without a class */
  findBroken(
    place: HashPlace,
    page: { after: HashKey | undefined; last: HashKey },
    algorithms: readonly string[],
  ): Promise<BrokenHash[]>;
  isStillKept(place: HashPlace, kept: BrokenHash): Promise<boolean>;
  /** Puts the wrapped hash in its place. False: another one is there by now. */
  wrap(place: HashPlace, kept: BrokenHash, by: Rehash): Promise<boolean>;
}

export interface WeakHashWrapperDeps {
  hashes: WeakHashStore;
  passwords: Passwords;
  fingerprints: HashFingerprints;
  onError(error: unknown): void;
  /** Called after a look at all hashes that wrapped some of them. `left`: could not be wrapped. */
  onWrapped(counts: { wrapped: number; left: number }): void;
}

interface Result {
  wrapped: number;
  left: number;
  errors: unknown[];
}

/**
 * Wraps hashes of class broken with argon2id, one after the other, while nobody waits for a hash. The stored hashes show what is left to
 * do, so that the work may stop at any point. Instances that run at once choose from the same few hashes, each in its own order.
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

  /** Looks now, and from then on again and again. */
  start(): void {
    this.#poller.start();
  }

  /** Looks at all hashes, and resolves when it is through. */
  idle(): Promise<void> {
    return this.#poller.idle();
  }

  /** Drops what waits, and finishes the hash in hand. */
  stop(): Promise<void> {
    this.#stopping.abort();
    return this.#poller.stop();
  }

  async #wrapAll(): Promise<void> {
    const result: Result = { wrapped: 0, left: 0, errors: [] };
    try {
      for (const place of HASH_PLACES) await this.#wrapPlace(place, result);
    } finally {
      const { wrapped, left, errors } = result;
      // Hashes that cannot be wrapped come up in each round, and are reported once.
      if (wrapped > 0 || left !== this.#lastLeft) this.#deps.onWrapped({ wrapped, left });
      this.#lastLeft = left;
      // One for all: they are of one kind mostly, and may be many.
      if (errors.length > 0) this.#deps.onError(errors[0]);
    }
  }

  async #wrapPlace(place: HashPlace, result: Result): Promise<void> {
    const { hashes, passwords } = this.#deps;
    const broken = passwords.registry.all.filter(({ strength }) => strength === 'broken');
    const algorithms = broken.map(({ algorithm }) => algorithm);
    let after: HashKey | undefined;
    let last = await hashes.endOfPage(place, after);
    while (last !== undefined && !this.#poller.isStopped) {
      const found = await hashes.findBroken(place, { after, last }, algorithms);
      for (const kept of shuffled(found)) {
        if (this.#poller.isStopped) return;
        const outcome = await this.#wrap(place, kept).catch((error: unknown) => {
          // The database is away, say. Any other error is of this hash alone.
          if (error instanceof AppError || this.#poller.isStopped) throw error;
          result.errors.push(error);
          return 'left' as const;
        });
        if (outcome !== undefined) result[outcome] += 1;
      }
      after = found.at(-1)?.key ?? last;
      if (found.length === 0) last = await hashes.endOfPage(place, after);
    }
  }

  /** Undefined: somebody else has changed it. */
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
