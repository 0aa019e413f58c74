import type { Passwords } from '../hashing/passwords.ts';
import type { UpgradePolicy } from '../hashing/upgrade-policy.ts';
import { AppError } from '../lib/errors.ts';
import type { HashFingerprints } from './hash-fingerprint.ts';
import type { UserStore, VerifiedLogin } from './user-store.ts';

/** Most passwords that are held at once. At 30 ms each, on one place, they are done within ten seconds. */
const MAX_HELD = 256;
/** Most bytes of them together: a password may be as long as a request. */
const MAX_HELD_BYTES = 1024 * 1024;
/** Longest that one is held before it is hashed. The next sign-in brings it again. */
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

/** Why one that waits is dropped. */
class Dropped extends Error {}

/**
 * Replaces weak hashes by new ones of the same passwords, in the background, after their users have signed in. Nobody waits for
 * that, and nothing is kept of what was dropped: under load, at a stop, or after an error the next sign-in does it.
 */
export class PasswordUpgrades {
  readonly #deps: PasswordUpgradesDeps;
  /** Pending upgrades by e-mail: a user who signs in many times at once is upgraded once. */
  readonly #held = new Map<string, Held>();
  #heldBytes = 0;
  #isStopped = false;

  constructor(deps: PasswordUpgradesDeps) {
    this.#deps = deps;
  }

  /** Upgrades the login if that is due and there is room. Takes the password over, and overwrites it in the end. Never throws. */
  offer(login: UpgradableLogin, password: Buffer): void {
    const { passwords, policy } = this.#deps;
    if (this.#isStopped || this.#held.has(login.email)) return;
    if (this.#held.size >= MAX_HELD || this.#heldBytes + password.length > MAX_HELD_BYTES) return;
    if (!passwords.isUpgradeDue(policy, login.hash, password)) return;
    const giveUp = new AbortController();
    const timer = setTimeout(() => giveUp.abort(new Dropped()), MAX_WAIT_MS).unref();
    const done = this.#upgrade(login, password, giveUp.signal)
      .catch((error: unknown) => {
        if (!isDrop(error)) this.#deps.onError(error);
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
    // The answer is written in this turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    const hash = await passwords.rehash(password, signal);
    const fingerprint = fingerprints.of(passwords.registry.read(login.hash));
    const isReplaced = await store.replaceHash(login, { hash, fingerprint });
    if (isReplaced) passwords.replaced(login.hash, hash);
  }

  /** Resolves when nothing is held any more. */
  async idle(): Promise<void> {
    while (this.#held.size > 0) await Promise.all([...this.#held.values()].map(({ done }) => done));
  }

  /** Drops those that wait, and takes no more. Resolves when those that have begun are written. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { giveUp } of this.#held.values()) giveUp.abort(new Dropped());
    await this.idle();
  }
}

const isDrop = (error: unknown) =>
  error instanceof Dropped || (error instanceof AppError && error.code === 'SHUTTING_DOWN');
