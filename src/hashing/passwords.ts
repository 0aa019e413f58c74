import type { Decoys } from './decoys.ts';
import { isExpensive, type KdfGate } from './kdf-gate.ts';
import type { NewHashMaker } from './new-hash.ts';
import type { HashingProcess } from './process/hashing-process.ts';
import { timedVerify } from './process/timed-verify.ts';
import type { HashRegistry } from './registry.ts';
import type { HashVerifier, PasswordHash, StoredHash } from './verifier.ts';

/** A password to be tried on a hash that nobody keeps. */
export interface Trial {
  verifier: HashVerifier;
  stored: StoredHash;
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
  /** Where expensive hashes are computed. Without it they are computed here, as all others are. */
  hashingProcess?: HashingProcess;
}

/**
 * Everything that is done with passwords: each call that runs a key derivation goes through the gate,
 * and throws AppError OVERLOADED when that is full, SHUTTING_DOWN when it is stopped, or the signal's reason when the
 * caller has gone.
 */
export class Passwords {
  readonly registry: HashRegistry;
  readonly #gate: KdfGate;
  readonly #decoys: Decoys;
  readonly #maker: NewHashMaker;
  readonly #hashingProcess: HashingProcess | undefined;

  constructor(parts: PasswordsParts) {
    this.registry = parts.registry;
    this.#gate = parts.gate;
    this.#decoys = parts.decoys;
    this.#maker = parts.maker;
    this.#hashingProcess = parts.hashingProcess;
  }

  /** Is this the password? Throws when the hash cannot be evaluated: that is never "no". */
  async verify(hash: PasswordHash, password: Uint8Array, signal?: AbortSignal): Promise<boolean> {
    this.#decoys.notice(hash);
    const { matches } = await this.tryOut(this.#trial(hash, password), signal);
    return matches;
  }

  /** As `verify`, for a hash that is not kept: decoys are none the wiser. */
  async tryOut({ verifier, stored, password }: Trial, signal?: AbortSignal): Promise<TrialResult> {
    const cost = verifier.cost(stored);
    const { algorithm } = verifier;
    // The other process knows the verifiers of the registry, not one made for a repair.
    const isKnown = this.registry.find(algorithm) === verifier;
    const elsewhere = isExpensive(cost) && isKnown ? this.#hashingProcess : undefined;
    const { matches, ms } = await this.#gate.run(
      cost,
      () =>
        elsewhere?.verify({ encoded: stored, algorithm }, password) ??
        timedVerify(verifier, stored, password),
      signal,
    );
    return { matches, cost: { ms, memoryBytes: cost.memoryBytes } };
  }

  /** Takes as long as `verify` would for a user of this service, and answers nothing. */
  async verifyDecoy(email: string, password: Uint8Array, signal?: AbortSignal): Promise<void> {
    await this.tryOut(this.#trial(this.#decoys.pick(email), password), signal);
  }

  /** Hashes a password that is set through this service. */
  async hash(password: Uint8Array, signal?: AbortSignal): Promise<PasswordHash> {
    const { verifier, stored } = this.#trial(this.#maker.example, password);
    const cost = verifier.cost(stored);
    const elsewhere = isExpensive(cost) ? this.#hashingProcess : undefined;
    const hash = await this.#gate.run(
      cost,
      () => elsewhere?.hash(password) ?? this.#maker.make(password),
      signal,
    );
    this.#decoys.learn(hash);
    return hash;
  }

  /** What a hash of this service's own making looks like. It is nobody's. */
  get exampleHash(): PasswordHash {
    return this.#maker.example;
  }

  /** Tells of a hash that is kept, or of one that stands for `count` of them, so that decoys cost what they cost. */
  learn(hash: PasswordHash, count = 1): void {
    this.#decoys.learn(hash, count);
  }

  /**
   * Refuses what waits and all that comes, and breaks off what the other process computes. What is computed here ends by
   * itself, and soon: it is not expensive.
   */
  stop(): void {
    this.#gate.stop();
    this.#hashingProcess?.stop();
  }

  #trial({ encoded, algorithm }: PasswordHash, password: Uint8Array): Trial {
    const verifier = this.registry.find(algorithm);
    if (verifier === undefined) throw new Error(`no verifier for the stored algorithm ${algorithm}`);
    return { verifier, stored: encoded, password };
  }
}
