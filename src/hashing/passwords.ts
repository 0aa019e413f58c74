import type { Decoys } from './decoys.ts';
import { isExpensive, type KdfGate } from './kdf-gate.ts';
import type { NewHashMaker } from './new-hash.ts';
import type { HashingProcess } from './process/hashing-process.ts';
import { isLongPassword } from './process/long-passwords.ts';
import { type TimedVerification, timedVerify } from './process/timed-verify.ts';
import type { HashRegistry } from './registry.ts';
import { isUpgradeDue, type UpgradePolicy } from './upgrade-policy.ts';
import type { HashCost, KeptHash, ParsedHash, PasswordHash, StoredHash } from './verifier.ts';
import { WRAPPED, wrappingOf } from './verifiers/wrapped.ts';

/** A password to be tried on a hash that nobody keeps. */
export interface Trial {
  hash: ParsedHash;
  password: Uint8Array;
}

/** How a trial came out and what it took here. `ms` leaves out the time in the queue. */
export interface TrialResult {
  matches: boolean;
  cost: { ms: number; memoryBytes: number };
}

export interface PasswordsParts {
  registry: HashRegistry;
  gate: KdfGate;
  decoys: Decoys;
  maker: NewHashMaker;
  /** Makes the argon2id hashes that weak hashes are wrapped with. */
  wrapMaker: NewHashMaker;
  /** Computes expensive hashes, loops of rounds and long passwords. Without it they are computed here, as all others are. */
  hashingProcess?: HashingProcess;
  /** Computes what may crash, one hash at a time, so that a crash is the error of one caller. Without it, it is computed here. */
  sandbox?: HashingProcess;
  /** Makes the hashes that nobody waits for, at the lowest priority. Without it they are made here. */
  background?: HashingProcess;
}

/** Below so many ms, by the reference, sending a password to another process costs as much as hashing it. */
const BACKGROUND_HERE_MS = 2;

/**
 * Everything that is done with passwords. Each call that runs a key derivation goes through the gate. It throws AppError
 * OVERLOADED when the gate is full, SHUTTING_DOWN when it is stopped, and the signal's reason when the caller has gone.
 */
export class Passwords {
  readonly registry: HashRegistry;
  readonly #gate: KdfGate;
  readonly #decoys: Decoys;
  readonly #maker: NewHashMaker;
  readonly #wrapMaker: NewHashMaker;
  readonly #hashingProcess: HashingProcess | undefined;
  readonly #sandbox: HashingProcess | undefined;
  readonly #background: HashingProcess | undefined;

  constructor(parts: PasswordsParts) {
    this.registry = parts.registry;
    this.#gate = parts.gate;
    this.#decoys = parts.decoys;
    this.#maker = parts.maker;
    this.#wrapMaker = parts.wrapMaker;
    this.#hashingProcess = parts.hashingProcess;
    this.#sandbox = parts.sandbox;
    this.#background = parts.background;
  }

  /** Is this the password? Throws when the hash cannot be evaluated: that is never "no". */
  async verify(stored: PasswordHash, password: Uint8Array, signal?: AbortSignal): Promise<boolean> {
    const hash = this.registry.tryRead(stored);
    if (hash === undefined) {
      this.#decoys.noticeUnverifiable();
      // Throws, saying why.
      return this.registry.read(stored).verify(password);
    }
    this.#decoys.notice(hash);
    const { matches } = await this.#compute({ hash, password }, (run) =>
      this.#gate.run(hash.costOf(password), run, signal),
    );
    return matches;
  }

  /**
   * Does what `verify` does for a hash that is not kept, when no sign-in waits and it is the caller's turn. Decoys do not learn of it.
   * @param caller the name of the API key
   */
  tryOut(trial: Trial, caller: string, signal?: AbortSignal): Promise<TrialResult> {
    return this.#compute(trial, (run) =>
      this.#gate.runTrial(trial.hash.costOf(trial.password), run, caller, signal),
    );
  }

  async #compute(
    { hash, password }: Trial,
    runInGate: (run: () => Promise<TimedVerification>) => Promise<TimedVerification>,
  ): Promise<TrialResult> {
    // The other process knows the verifiers of the registry, not one made for a repair.
    const isKnown = this.registry.find(hash.algorithm) === hash.verifier;
    const elsewhere = isKnown ? this.#processFor(hash.costOf(password), password) : undefined;
    const { matches, ms } = await runInGate(
      () => elsewhere?.verify(hash, password) ?? timedVerify(hash, password),
    );
    return { matches, cost: { ms, memoryBytes: hash.cost.memoryBytes } };
  }

  /** Takes as long as `verify` would for a user of this service, and returns nothing. */
  async verifyDecoy(email: string, password: Uint8Array, signal?: AbortSignal): Promise<void> {
    const hash = this.#decoys.pick(email);
    await this.#compute({ hash, password }, (run) => this.#gate.run(hash.costOf(password), run, signal));
  }

  /** Hashes a password that is set through this service. */
  async hash(password: Uint8Array, signal?: AbortSignal): Promise<KeptHash> {
    const { cost } = this.#maker.example;
    const elsewhere = isExpensive(cost) ? this.#hashingProcess : undefined;
    const made = await this.#gate.run(
      cost,
      () => elsewhere?.hash(password) ?? this.#maker.make(password),
      signal,
    );
    const hash = this.registry.read(made);
    this.#decoys.learn(hash);
    return hash;
  }

  /** Is this stored hash to be replaced by a new one of this password, which has just matched? */
  isUpgradeDue(policy: UpgradePolicy, stored: PasswordHash, password: Uint8Array): boolean {
    if (policy === 'off') return false;
    return isUpgradeDue(policy, { hash: this.registry.read(stored), password, example: this.#maker.example });
  }

  /**
   * Hashes a password anew when nobody waits for a hash, which may be never. Decoys learn of it by `replaced`.
   * @throws the signal's reason as soon as it aborts
   */
  async rehash(password: Uint8Array, signal: AbortSignal): Promise<ParsedHash> {
    return this.registry.read(await this.#makeInBackground(this.#maker, password, signal));
  }

  /**
   * Wraps a stored hash of class broken with argon2id when nobody waits for a hash. Undefined: it is none, cannot be wrapped, or can no
   * longer be verified. Decoys learn of it by `replaced`.
   * @throws as `rehash`
   */
  async wrap(stored: PasswordHash, signal: AbortSignal): Promise<ParsedHash | undefined> {
    const hash = this.registry.tryRead(stored);
    const wrapping = hash?.strength === 'broken' ? await wrappingOf(hash) : undefined;
    if (wrapping === undefined) return undefined;
    const outer = await this.#makeInBackground(this.#wrapMaker, wrapping.digest, signal);
    const encoded = wrapping.around(this.registry.read(outer)) as StoredHash;
    return this.registry.tryRead({ algorithm: WRAPPED, encoded, secretId: stored.secretId });
  }

  /** Tells that a kept hash has another in its place, so that decoys cost what it costs. */
  replaced(stored: PasswordHash, by: ParsedHash): void {
    const hash = this.registry.tryRead(stored);
    if (hash !== undefined) this.#decoys.forget(hash);
    this.#decoys.learn(by);
  }

  #makeInBackground(maker: NewHashMaker, password: Uint8Array, signal: AbortSignal): Promise<PasswordHash> {
    const { algorithm, cost } = maker.example;
    const elsewhere = cost.ms > BACKGROUND_HERE_MS ? this.#background : undefined;
    const make = () => elsewhere?.hash(password, algorithm) ?? maker.make(password);
    return untilAborted(this.#gate.runInBackground(cost, make, signal), signal);
  }

  #processFor(cost: HashCost, password: Uint8Array): HashingProcess | undefined {
    if (cost.runsOn === 'sandbox') return this.#sandbox;
    const isElsewhere = isExpensive(cost) || cost.runsOn === 'worker' || isLongPassword(password);
    return isElsewhere ? this.#hashingProcess : undefined;
  }

  /** A hash that looks like those made here. It is nobody's. */
  get exampleHash(): ParsedHash {
    return this.#maker.example;
  }

  /**
   * Counts a hash that is kept, or one that stands for `count` of them, so that decoys cost what these cost. A hash that cannot be
   * verified now (it was stored under wider bounds, or its secret is gone) counts as one that fails.
   */
  learn(hash: PasswordHash, count = 1): void {
    const parsed = this.registry.tryRead(hash);
    if (parsed !== undefined) this.#decoys.learn(parsed, count);
    else this.#decoys.learnUnverifiable(count);
  }

  /**
   * Refuses all calls that wait or come later, and breaks off what the other process computes. What is computed here is
   * cheap, so it ends soon by itself.
   */
  stop(): void {
    this.#gate.stop();
    this.#hashingProcess?.stop();
    this.#sandbox?.stop();
    this.#background?.stop();
  }
}

/** @throws the signal's reason as soon as it aborts, whatever becomes of the work */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
