import type { Passwords } from '../hashing/passwords.ts';
import type { UpgradePolicy } from '../hashing/upgrade-policy.ts';
import { AppError } from '../lib/errors.ts';
import type { HashFingerprints } from './hash-fingerprint.ts';
import type { UserStore, VerifiedLogin } from './user-store.ts';

/** Maximum number of pending upgrades. At 30 ms each they finish within ten seconds on one core. */
const MAX_HELD = 256;
/** Maximum total length of the pending passwords, each of which may be as long as a request. */
const MAX_HELD_BYTES = 1024 * 1024;
/** Maximum time that a password waits to be hashed. After that, the upgrade is left to the next sign-in. */
const MAX_WAIT_MS = 30_000;

export interface PasswordUpgradesDeps {
  store: Pick<UserStore, 'replaceHash'>;
  passwords: Passwords;
  fingerprints: HashFingerprints;
  policy: UpgradePolicy;
  onError(error: unknown): void;
}

/** A login whose password was just verified. */
export interface UpgradableLogin extends VerifiedLogin {
  email: string;
}

interface Held {
  giveUp: AbortController;
  done: Promise<void>;
}

/** Reason for cancelling a pending upgrade. */
class UpgradeCancelled extends Error {}

/**
 * Replaces weak hashes by new hashes of the same passwords, in the background, after the users have signed in. Nobody
 * waits for an upgrade. If one is cancelled (under load, at a stop, or after an error), the next sign-in tries again.
 */
export class PasswordUpgrades {
  readonly #deps: PasswordUpgradesDeps;
  /** Pending upgrades by e-mail, so that a user with many simultaneous sign-ins is upgraded once. */
  readonly #held = new Map<string, Held>();
  #heldBytes = 0;
  #isStopped = false;

  constructor(deps: PasswordUpgradesDeps) {
    this.#deps = deps;
  }

  /**
   * Starts an upgrade of the login if it is due and there is room. Takes ownership of the password buffer, which is
   * overwritten after the upgrade. Never throws.
   */
  offer(login: UpgradableLogin, password: Buffer): void {
    const { passwords, policy } = this.#deps;
    if (this.#isStopped || this.#held.has(login.email)) return;
    if (this.#held.size >= MAX_HELD || this.#heldBytes + password.length > MAX_HELD_BYTES) return;
    if (!passwords.isUpgradeDue(policy, login.hash, password)) return;
    const giveUp = new AbortController();
    const timer = setTimeout(() => giveUp.abort(new UpgradeCancelled()), MAX_WAIT_MS).unref();
    const done = this.#upgrade(login, password, giveUp.signal)
      .catch((error: unknown) => {
        if (!isCancellation(error)) this.#deps.onError(error);
      })
      .finally(() => {
        clearTimeout(timer);
        password.fill(0);
        this.#held.delete(login.email);
        this.#heldBytes -= password.length;
      });
    this.#held.set(login.email, { giveUp, done });
    this.#heldBytes += password.length;
  }

  async #upgrade(login: UpgradableLogin, password: Buffer, signal: AbortSignal): Promise<void> {
    const { passwords, store, fingerprints } = this.#deps;
    // Lets the answer to the sign-in be written first, in this turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    const hash = await passwords.rehash(password, signal);
    const fingerprint = fingerprints.of(passwords.registry.read(login.hash));
    const isReplaced = await store.replaceHash(login, { hash, fingerprint });
    if (isReplaced) passwords.replaced(login.hash, hash);
  }

  /** Resolves when no upgrade is pending. */
  async idle(): Promise<void> {
    while (this.#held.size > 0) await Promise.all([...this.#held.values()].map(({ done }) => done));
  }

  /** Cancels waiting upgrades and accepts no more. Resolves when running upgrades are stored. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { giveUp } of this.#held.values()) giveUp.abort(new UpgradeCancelled());
    await this.idle();
  }
}

const isCancellation = (error: unknown) =>
  error instanceof UpgradeCancelled || (error instanceof AppError && error.code === 'SHUTTING_DOWN');
