import type { Passwords, UpgradePolicy } from '../hashing/passwords.ts';
import { AppError } from '../lib/errors.ts';
import type { HashFingerprints } from './hash-fingerprint.ts';
import type { HashStore, VerifiedLogin } from './hash-store.ts';

/** Maximum number of pending upgrades. At 30 ms each, they finish within ten seconds on one core. */
const MAX_PENDING = 256;
/** Milliseconds after which an upgrade that still waits is cancelled. The user's next sign-in tries again. */
const MAX_WAIT_MS = 30_000;

export interface PasswordUpgradesDeps {
  store: Pick<HashStore, 'replaceHash'>;
  passwords: Passwords;
  fingerprints: HashFingerprints;
  policy: UpgradePolicy;
  onError(error: unknown): void;
}

export interface UpgradableLogin extends VerifiedLogin {
  email: string;
}

/**
 * Replaces weak hashes in the background, after the users have signed in. If an upgrade is cancelled (under
 * load, at a stop, or after an error), the user's next sign-in tries again.
 */
export class PasswordUpgrades {
  readonly #deps: PasswordUpgradesDeps;
  /** Pending upgrades by e-mail: a user with many simultaneous sign-ins is upgraded only once. */
  readonly #pending = new Map<string, { canceller: AbortController; done: Promise<void> }>();
  #stored = 0;
  #failed = 0;
  #isStopped = false;

  constructor(deps: PasswordUpgradesDeps) {
    this.#deps = deps;
  }

  /**
   * Starts an upgrade in the background if one is due. It then owns the password buffer, and overwrites it at the end.
   * Never throws.
   */
  offer(login: UpgradableLogin, password: Buffer): void {
    const { passwords, policy } = this.#deps;
    if (this.#isStopped || this.#pending.has(login.email) || this.#pending.size >= MAX_PENDING) return;
    if (!passwords.isUpgradeDue(policy, login.hash, password)) return;
    const canceller = new AbortController();
    const timer = setTimeout(() => canceller.abort(), MAX_WAIT_MS).unref();
    const done = this.#upgrade(login, password, canceller.signal)
      .catch((error: unknown) => {
        const isShutdown = error instanceof AppError && error.code === 'SHUTTING_DOWN';
        if (error === canceller.signal.reason || isShutdown) return;
        this.#failed += 1;
        this.#deps.onError(error);
      })
      .finally(() => {
        clearTimeout(timer);
        password.fill(0);
        this.#pending.delete(login.email);
      });
    this.#pending.set(login.email, { canceller, done });
  }

  async #upgrade(login: UpgradableLogin, password: Buffer, signal: AbortSignal): Promise<void> {
    const { passwords, store, fingerprints } = this.#deps;
    // The upgrade begins in a later turn of the event loop, so that the answer is written first.
    await new Promise((resolve) => setImmediate(resolve));
    const hash = await passwords.rehash(password, signal);
    const fingerprint = fingerprints.of(passwords.registry.read(login.hash));
    if (!(await store.replaceHash(login, { hash, fingerprint }))) return;
    this.#stored += 1;
    passwords.replaced(login.hash, hash);
  }

  /** Counts upgrades: pending ones now, `stored` and `failed` ones since the start. */
  counts(): { pending: number; stored: number; failed: number } {
    return { pending: this.#pending.size, stored: this.#stored, failed: this.#failed };
  }

  async idle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all([...this.#pending.values()].map(({ done }) => done));
  }

  /** Cancels waiting upgrades and accepts no more. Resolves when running upgrades are stored. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { canceller } of this.#pending.values()) canceller.abort();
    await this.idle();
  }
}
