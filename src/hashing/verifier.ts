import type { MistakeCode } from './diagnose/mistakes.ts';
import type { SecondReading } from './kdf/password-reading.ts';
import type { PortableHash } from './portable-hash.ts';

/** Text of a hash that was parsed. Storing an unchecked hash is a type error. */
export type StoredHash = string & { readonly __brand: 'StoredHash' };

export interface PasswordHash {
  readonly encoded: StoredHash;
  readonly algorithm: string;
  /** Undefined if the hash has no secret, or uses the signer key that has a setting of its own. */
  readonly secretId?: string | undefined;
}

export interface KeptHash extends PasswordHash {
  readonly strength: Strength;
  /** Algorithm, parameters, salt and digest as one text. All spellings of the hash have the same text. */
  readonly identity: string;
}

/**
 * Id of a configured secret. Undefined means the algorithm's current default. Null is for hashes stored
 * without an id: a default that was configured later must not apply to them, because every password would
 * then be wrong.
 */
export type SecretId = string | null | undefined;

/**
 * `legacy`: salted and iterated, but cheap to guess. `broken`: one or a few digests, no salt, or reversible.
 */
export type Strength = 'strong' | 'legacy' | 'broken';

/** Refusal of a hash. The message is public: it names the broken rule, and never shows the hash. */
export class HashRefused extends Error {
  readonly reason: 'format' | 'cost' | 'secret' | 'signer-key-missing' | 'unavailable';
  constructor(reason: HashRefused['reason'], detail: string) {
    super(detail);
    this.name = 'HashRefused';
    this.reason = reason;
  }
}

export interface HashCost {
  /** Peak memory of a verification, in bytes. */
  memoryBytes: number;
  /**
   * Milliseconds on one thread of the reference machine (docs/hash-reference.md), however fast this machine
   * is. All instances must accept the same hashes, today and after a move to other hardware.
   */
  ms: number;
  /**
   * Place where the hash is computed, if not on libuv's threads. `event-loop`: takes microseconds. `worker`: a loop
   * of rounds in JavaScript, on a thread of the hashing process. `sandbox`: a native library that may crash,
   * in a process of its own.
   */
  runsOn?: 'event-loop' | 'worker' | 'sandbox';
}

/** Parameters of a hash to show to operators. Names of lengths and sizes include the unit. */
export type HashParameters = Readonly<Record<string, string | number>>;

export interface Repair {
  mistake: MistakeCode;
  encoded: string;
  /** Verifier with another secret, if the configured secret is wrong rather than the hash. */
  verifier?: HashVerifier;
}

export interface Computation<Parsed> {
  digest(parsed: Parsed): Buffer;
  /**
   * Returns the digest of a password, or undefined if no password of these bytes can match. `secret` is empty
   * if the hash has none.
   */
  of(parsed: Parsed, password: Buffer, secret: Buffer): Promise<Buffer | undefined> | Buffer | undefined;
}

/** Parsed hash of an algorithm. Only the algorithm knows the type of `parsed`. */
export interface HashOperations {
  decoy(parsed: unknown, encoded: string): string;
  describe(parsed: unknown): HashParameters;
  /** Returns a text that is the same for all spellings of a hash, and differs for every other hash. */
  identity(parsed: unknown): string;
  strengthOf(parsed: unknown): Strength;
  /** Returns whether no other password that people could type has the same digest as this one. */
  isOnlyPassword(parsed: unknown, password: Buffer, secret: Buffer): boolean;
  /** Returns whether the password matches as it is. The second form of the password is not tried. */
  verify(parsed: unknown, password: Buffer, secret: Buffer): Promise<boolean>;
  secondReading?(parsed: unknown): SecondReading | undefined;
  /** Undefined if hashes can only be verified as a whole. */
  readonly compute?: Computation<unknown> | undefined;
  withoutDigest(parsed: unknown, encoded: string): string | undefined;
  clearText?(parsed: unknown): string | undefined;
  portable?(parsed: unknown, encoded: string): PortableHash | undefined;
}

export interface HashVerifier {
  /** Name that is saved beside each hash. Sign-ins use it and never guess. */
  readonly algorithm: string;
  readonly displayName: string;
  readonly superTokensName: string;
  readonly aliases: readonly string[];
  readonly strength: Strength;
  readonly operations: HashOperations;
  readonly needsSecret: boolean;
  /** Whether some or all hashes of the algorithm need a configured secret. */
  readonly takesSecret: boolean;
  /** Returns whether the string has the shape of this family and of no other. */
  recognises(encoded: string): boolean;
  /** Returns whether the string has the shape of this family, which other families may share. */
  resembles(encoded: string): boolean;
  /**
   * Parses the whole hash string and checks its cost. Computes no hash.
   * @throws {HashRefused} with the rule that was broken
   */
  parse(encoded: string, secretId?: SecretId): ParsedHash;
  /**
   * Returns strings that the string may have been before a mistake, the most likely first. Computes no hash.
   * @throws {HashRefused} as `parse` does for the secret
   */
  repairs(encoded: string, secretId?: SecretId): Repair[];
}

/** The id is undefined for the signer key that has a setting of its own. */
export interface KnownSecret {
  id: string | undefined;
  bytes: Uint8Array;
}

const NO_SECRET = new Uint8Array();

/**
 * A hash that was parsed completely and is within the limits of its verifier. Only verifiers create
 * instances. Private fields stay out of JSON and out of messages to other processes, where an instance
 * becomes a plain PasswordHash.
 */
export class ParsedHash implements KeptHash {
  readonly encoded: StoredHash;
  readonly algorithm: string;
  readonly secretId: string | undefined;
  readonly #verifier: HashVerifier;
  readonly #parsed: unknown;
  readonly #cost: HashCost;
  readonly #secret: Uint8Array;

  constructor(
    verifier: HashVerifier,
    encoded: string,
    { parsed, cost, secret }: { parsed: unknown; cost: HashCost; secret: KnownSecret | undefined },
  ) {
    this.encoded = encoded as StoredHash;
    this.algorithm = verifier.algorithm;
    this.secretId = secret?.id;
    this.#verifier = verifier;
    this.#parsed = parsed;
    this.#cost = cost;
    this.#secret = secret?.bytes ?? NO_SECRET;
  }

  get verifier(): HashVerifier {
    return this.#verifier;
  }

  get cost(): HashCost {
    return this.#cost;
  }

  get strength(): Strength {
    return this.#verifier.operations.strengthOf(this.#parsed);
  }

  /** Returns a hash of the same cost over a fixed salt and digest. It reveals nothing of this hash. */
  decoy(): string {
    return this.#verifier.operations.decoy(this.#parsed, this.encoded);
  }

  /** Returns the parameters of the hash and the lengths of its parts, and nothing of salt and digest. */
  describe(): HashParameters {
    return this.#verifier.operations.describe(this.#parsed);
  }

  /** Returns twice the cost of the hash if the password may have a second form. */
  costOf(password: Uint8Array): HashCost {
    const isReadTwice = this.secondReading?.mayDiffer(bufferOf(password)) === true;
    return isReadTwice ? { ...this.#cost, ms: 2 * this.#cost.ms } : this.#cost;
  }

  /**
   * Returns whether the password matches the hash. `password` is its exact bytes in UTF-8.
   * @throws what the hash library throws: a failure must never count as a wrong password
   */
  async verify(password: Uint8Array): Promise<boolean> {
    const bytes = bufferOf(password);
    const second = this.secondReading?.of(bytes);
    return (await this.#verifyOnce(bytes)) || (second !== undefined && this.#verifyOnce(second));
  }

  #verifyOnce(password: Buffer): Promise<boolean> {
    return this.#verifier.operations.verify(this.#parsed, password, bufferOf(this.#secret));
  }

  get portable(): PortableHash | undefined {
    return this.#verifier.operations.portable?.(this.#parsed, this.encoded);
  }

  get secondReading(): SecondReading | undefined {
    return this.#verifier.operations.secondReading?.(this.#parsed);
  }

  get identity(): string {
    return this.#verifier.operations.identity(this.#parsed);
  }

  isOnlyPassword(password: Uint8Array): boolean {
    return this.#verifier.operations.isOnlyPassword(this.#parsed, bufferOf(password), bufferOf(this.#secret));
  }

  /** The stored digest, or undefined if a hash of this algorithm is not a single digest. */
  get digest(): Buffer | undefined {
    return this.#verifier.operations.compute?.digest(this.#parsed);
  }

  /** Undefined if no password of these bytes can match, or if the algorithm has no `compute`. */
  async digestOf(password: Uint8Array): Promise<Buffer | undefined> {
    return this.#verifier.operations.compute?.of(this.#parsed, bufferOf(password), bufferOf(this.#secret));
  }

  /**
   * The password, if the hash contains it in readable or reversible form. It must be hashed before it is
   * stored.
   */
  get clearText(): string | undefined {
    return this.#verifier.operations.clearText?.(this.#parsed);
  }

  withoutDigest(): string | undefined {
    return this.#verifier.operations.withoutDigest(this.#parsed, this.encoded);
  }
}

export function tryParse(
  verifier: HashVerifier,
  encoded: string,
  secretId?: SecretId,
): ParsedHash | HashRefused {
  try {
    return verifier.parse(encoded, secretId);
  } catch (error) {
    if (error instanceof HashRefused) return error;
    throw error;
  }
}

const bufferOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
