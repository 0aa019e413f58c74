import type { Decoys } from './decoys.ts';
import type { KdfGate } from './gate.ts';
import type { NewHashMaker } from './new-hash.ts';
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

/**
 * Everything that is done with passwords: each call that runs a key derivation goes through the gate,
 * and throws AppError OVERLOADED when that is full, or the signal's reason when the caller has gone.
 */
export class Passwords {
  readonly registry: HashRegistry;
  readonly #gate: KdfGate;
  readonly #decoys: Decoys;
  readonly #maker: NewHashMaker;

  constructor(parts: { registry: HashRegistry; gate: KdfGate; decoys: Decoys; maker: NewHashMaker }) {
    this.registry = parts.registry;
    this.#gate = parts.gate;
    this.#decoys = parts.decoys;
    this.#maker = parts.maker;
  }

  /** Is this the password? Throws when the hash cannot be evaluated: that is never "no". */
  async verify(hash: PasswordHash, password: Uint8Array, signal?: AbortSignal): Promise<boolean> {
    this.#decoys.notice(hash);
    return this.#run(hash, (verifier) => verifier.verify(hash.encoded, password), signal);
  }

  /** As `verify`, for a hash that is not kept: decoys are none the wiser. */
  async tryOut({ verifier, stored, password }: Trial, signal?: AbortSignal): Promise<TrialResult> {
    const cost = verifier.cost(stored);
    return this.#gate.run(
      cost,
      async () => {
        const startMs = performance.now();
        const matches = await verifier.verify(stored, password);
        const ms = Math.round((performance.now() - startMs) * 10) / 10;
        return { matches, cost: { ms, memoryBytes: cost.memoryBytes } };
      },
      signal,
    );
  }

  /** Takes as long as `verify` would for a user of this service, and answers nothing. */
  async verifyDecoy(email: string, password: Uint8Array, signal?: AbortSignal): Promise<void> {
    const decoy = this.#decoys.pick(email);
    await this.#run(decoy, (verifier) => verifier.verify(decoy.encoded, password), signal);
  }

  /** Hashes a password that is set through this service. */
  async hash(password: Uint8Array, signal?: AbortSignal): Promise<PasswordHash> {
    const hash = await this.#run(this.#maker.example, () => this.#maker.make(password), signal);
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

  #run<T>(
    hash: PasswordHash,
    kdf: (verifier: HashVerifier) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const verifier = this.registry.find(hash.algorithm);
    if (verifier === undefined) throw new Error(`no verifier for the stored algorithm ${hash.algorithm}`);
    return this.#gate.run(verifier.cost(hash.encoded), () => kdf(verifier), signal);
  }
}
