import { setTimeout as sleep } from 'node:timers/promises';
import type { Decoys } from './decoys.ts';
import type { HashCost } from './form.ts';
import { type GateCounts, isExpensive, type KdfGate } from './kdf-gate.ts';
import type { HashingProcesses } from './process/hashing-processes.ts';
import { isLongPassword, needsProcess, type TimedVerification, timedVerify } from './process/hashing-work.ts';
import type { HashRegistry, NewHashMaker } from './registry.ts';
import type { KeptHash, ParsedHash, PasswordHash, StoredHash } from './verifier.ts';
import { WRAPPED } from './wrapped.ts';

/**
 * Policies for replacing a stored hash when its user signs in. `weak` replaces hashes of strength legacy or
 * broken, and wrapped ones. `outdated` replaces every hash that differs from a new hash in algorithm or
 * parameters.
 */
export const UPGRADE_POLICIES = ['off', 'weak', 'outdated'] as const;

export type UpgradePolicy = (typeof UPGRADE_POLICIES)[number];

/**
 * Returns whether a stored hash must be replaced by a new hash of this password, which was just verified.
 * A hash is kept if another password matches it, or would match the new hash: the owner may type that other
 * password. A new hash would then lock out the owner, in favour of the person who just signed in.
 * @param example a hash as this service makes them now
 */
export function isUpgradeDue(
  policy: UpgradePolicy,
  { hash, password, example }: { hash: ParsedHash; password: Uint8Array; example: ParsedHash },
): boolean {
  // HMAC and C strings do not distinguish a password from the same password with a NUL at its end. The old
  // hash may match both, but its replacement would match only one of them.
  if (password.includes(0) || isLongPassword(password)) return false;
  return IS_OLD[policy](hash, example) && hash.isOnlyPassword(password) && example.isOnlyPassword(password);
}

const IS_OLD: Readonly<Record<UpgradePolicy, (hash: ParsedHash, example: ParsedHash) => boolean>> = {
  off: () => false,
  weak: (hash) => hash.strength !== 'strong' || hash.algorithm === WRAPPED,
  outdated: (hash, example) => hash.algorithm !== example.algorithm || hash.decoy() !== example.decoy(),
};

/** A password to test against a hash that is not stored. */
export interface Trial {
  hash: ParsedHash;
  password: Uint8Array;
}

/** Time that a hash took: `ms` excludes the time in the queue. */
export interface TrialResult {
  matches: boolean;
  cost: { ms: number; memoryBytes: number };
}

export interface PasswordsParts {
  registry: HashRegistry;
  gate: KdfGate;
  decoys: Decoys;
  maker: NewHashMaker;
  /** Makes the argon2id hashes that wrap weak hashes. They are made of the weak hash's digest. */
  wrapMaker: NewHashMaker;
  /**
   * Processes for expensive hashes, loops of rounds, native libraries that may crash, and long passwords. If undefined,
   * this process computes them.
   */
  processes?: HashingProcesses;
  /** Processes at the lowest priority, for hashes that no caller waits for. */
  background?: HashingProcesses;
}

/** Counts of computed hashes since the start of the service. `ms` is their total time outside the queue. */
export interface FamilyCounts {
  computed: number;
  ms: number;
}

/**
 * Maximum reference time of a background hash that this process computes. Sending it to another process would take as
 * long.
 */
const BACKGROUND_HERE_MS = 2;

/**
 * Weight of a new value in the moving average of verification times. Hashes with reference times below LEAST_MS are
 * left out, because such times are too short to compare.
 */
const SLOWNESS_WEIGHT = 0.1;
const LEAST_MS = 1;

/**
 * Verifies passwords, and makes hashes of them. Every key derivation passes the gate.
 * The gate throws AppError OVERLOADED if its queue is full, SHUTTING_DOWN if it is stopped, and the signal's
 * reason if the caller has gone.
 */
export class Passwords {
  readonly registry: HashRegistry;
  readonly #parts: PasswordsParts;
  /** Moving average of verification times on this machine, relative to the reference machine. */
  #slowness = 1;
  readonly #families = new Map<string, FamilyCounts>();

  constructor(parts: PasswordsParts) {
    this.registry = parts.registry;
    this.#parts = parts;
  }

  /**
   * Verifies a password against a stored hash. Throws if the hash cannot be evaluated, because such a failure must
   * never count as a wrong password.
   * @param account e-mail of the hash's login. Many calls for one account delay those for another by one at most
   */
  async verify(
    stored: PasswordHash,
    password: Uint8Array,
    signal?: AbortSignal,
    account?: string,
  ): Promise<boolean> {
    const hash = this.registry.tryRead(stored);
    this.#parts.decoys.notice(hash);
    if (hash === undefined) return this.registry.read(stored).verify(password);
    const { matches } = await this.#signIn({ hash, password }, signal, account);
    return matches;
  }

  /**
   * Verifies a hash that is not stored here, with the priority of sign-ins. The hash does not influence the choice of
   * decoys.
   * @param account as that of `verify`
   */
  async check(trial: Trial, signal?: AbortSignal, account?: string): Promise<boolean> {
    return (await this.#signIn(trial, signal, account)).matches;
  }

  #signIn(trial: Trial, signal?: AbortSignal, account?: string): Promise<TrialResult> {
    return this.#compute(trial, (cost, run) => this.#parts.gate.run(cost, run, signal, account));
  }

  /**
   * Verifies a password as soon as no sign-in waits and it is the caller's turn. The hash does not influence the choice
   * of decoys.
   * @param caller the name of the API key
   */
  tryOut(trial: Trial, caller: string, signal?: AbortSignal): Promise<TrialResult> {
    return this.#compute(trial, (cost, run) => this.#parts.gate.runTrial(cost, run, caller, signal));
  }

  async #compute(
    { hash, password }: Trial,
    runInGate: (cost: HashCost, run: () => Promise<TimedVerification>) => Promise<TimedVerification>,
  ): Promise<TrialResult> {
    const cost = hash.costOf(password);
    // Hashing processes know only the verifiers of the registry, so a verifier for a repaired hash runs in this
    // process.
    const isKnown = this.registry.find(hash.algorithm) === hash.verifier;
    const isElsewhere = isKnown && (isExpensive(cost) || needsProcess(cost, password));
    const elsewhere = isElsewhere ? this.#parts.processes : undefined;
    const { matches, ms } = await runInGate(
      cost,
      () => elsewhere?.verify(hash, password) ?? timedVerify(hash, password),
    );
    if (cost.ms >= LEAST_MS) this.#slowness += (ms / cost.ms - this.#slowness) * SLOWNESS_WEIGHT;
    this.#count(hash.algorithm, ms);
    return { matches, cost: { ms, memoryBytes: hash.cost.memoryBytes } };
  }

  /** Verifies a decoy for an unknown e-mail, so that the answer takes as long as for a user. */
  async verifyDecoy(email: string, password: Uint8Array, signal?: AbortSignal): Promise<void> {
    await this.#signIn({ hash: this.#parts.decoys.pick(email), password }, signal, email);
  }

  /**
   * Waits as long as `verifyDecoy` would take, for e-mails whose passwords another service verifies.
   * @throws the signal's reason as soon as it aborts
   */
  async waitAsDecoy(email: string, password: Uint8Array, signal?: AbortSignal): Promise<void> {
    const { ms } = this.#parts.decoys.pick(email).costOf(password);
    await sleep(ms * this.#slowness, undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
  }

  /**
   * Hashes a new password.
   * @param importer API key that imports the password. The computation waits until no sign-in waits and it is the key's
   * turn
   */
  async hash(password: Uint8Array, signal?: AbortSignal, importer?: string): Promise<KeptHash> {
    const { cost } = this.#parts.maker.example;
    const elsewhere = isExpensive(cost) ? this.#parts.processes : undefined;
    let startMs = 0;
    const make = () => {
      startMs = performance.now();
      return elsewhere?.hash(password) ?? this.#parts.maker.make(password);
    };
    const made = await (importer === undefined
      ? this.#parts.gate.run(cost, make, signal)
      : this.#parts.gate.runTrial(cost, make, importer, signal));
    const hash = this.registry.read(made);
    this.#count(hash.algorithm, performance.now() - startMs);
    this.#parts.decoys.learn(hash);
    return hash;
  }

  isUpgradeDue(policy: UpgradePolicy, stored: PasswordHash, password: Uint8Array): boolean {
    if (policy === 'off') return false;
    return isUpgradeDue(policy, {
      hash: this.registry.read(stored),
      password,
      example: this.#parts.maker.example,
    });
  }

  /**
   * Hashes a password in the background, perhaps much later or never. The caller must call `replaced` after
   * storing the new hash.
   * @throws the signal's reason as soon as the signal aborts
   */
  async rehash(password: Uint8Array, signal: AbortSignal): Promise<ParsedHash> {
    return this.registry.read(await this.#makeInBackground(this.#parts.maker, password, signal));
  }

  /**
   * Wraps a stored hash of strength `broken` with argon2id, in the background. Returns undefined if the hash
   * is of another strength, cannot be wrapped, or can no longer be verified. The caller must call `replaced`
   * after storing the wrapped hash.
   * @throws as `rehash`
   */
  async wrap(stored: PasswordHash, signal: AbortSignal): Promise<ParsedHash | undefined> {
    const hash = this.registry.tryRead(stored);
    const wrapping = hash?.strength === 'broken' ? await hash.wrapping() : undefined;
    if (wrapping === undefined) return undefined;
    const outer = await this.#makeInBackground(this.#parts.wrapMaker, wrapping.digest, signal);
    const encoded = wrapping.around(outer.encoded) as StoredHash;
    return this.registry.tryRead({ algorithm: WRAPPED, encoded, secretId: stored.secretId });
  }

  gateCounts(): GateCounts {
    return this.#parts.gate.counts();
  }

  /** Counts sign-ins, password tests and new passwords, by family. A decoy counts for its family. */
  familyCounts(): ReadonlyMap<string, FamilyCounts> {
    return this.#families;
  }

  #count(family: string, ms: number): void {
    const counts = this.#families.get(family) ?? { computed: 0, ms: 0 };
    this.#families.set(family, { computed: counts.computed + 1, ms: counts.ms + ms });
  }

  useDecoySecret(secret: string): void {
    this.#parts.decoys.useSecret(secret);
  }

  replaced(stored: PasswordHash, by: ParsedHash): void {
    const hash = this.registry.tryRead(stored);
    if (hash !== undefined) this.#parts.decoys.forget(hash);
    this.#parts.decoys.learn(by);
  }

  #makeInBackground(maker: NewHashMaker, password: Uint8Array, signal: AbortSignal): Promise<PasswordHash> {
    const { algorithm, cost } = maker.example;
    const elsewhere = cost.ms > BACKGROUND_HERE_MS ? this.#parts.background : undefined;
    const make = () => elsewhere?.hash(password, algorithm) ?? maker.make(password);
    return untilAborted(this.#parts.gate.runInBackground(cost, make, signal), signal);
  }

  get exampleHash(): ParsedHash {
    return this.#parts.maker.example;
  }

  /**
   * Counts hashes, so that decoys have the same costs. A hash that can no longer be verified (a limit was
   * lowered, its secret is missing) counts as one with which every sign-in fails.
   */
  learn(hash: PasswordHash, count = 1): void {
    this.#parts.decoys.learn(this.registry.tryRead(hash), count);
  }

  /** Aborts computations in other processes. Computations in this process are short and end by themselves. */
  stop(): void {
    this.#parts.gate.stop();
    this.#parts.processes?.stop();
    this.#parts.background?.stop();
  }
}

/**
 * Waits for `work`.
 * @throws the signal's reason as soon as the signal aborts; the result of `work` is then ignored
 */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
