import type { MistakeCode } from './diagnose/mistakes.ts';
import type { SecondReading } from './kdf/password-reading.ts';
import type { PortableHash } from './portable-hash.ts';

/**
 * The text of a hash that was parsed. The store accepts only this type, so that saving an unchecked hash is a type
 * error.
 */
export type StoredHash = string & { readonly __brand: 'StoredHash' };

/** A stored password hash and the algorithm with which it was parsed. */
export interface PasswordHash {
  readonly encoded: StoredHash;
  readonly algorithm: string;
  /** Id of the configured secret of the hash. Undefined if the hash has no secret, or one with a setting of its own. */
  readonly secretId?: string | undefined;
}

/** A parsed password hash that is about to be stored. */
export interface KeptHash extends PasswordHash {
  readonly strength: Strength;
  /** Algorithm, parameters, salt and digest as one text. It is the same however the hash was written. */
  readonly identity: string;
}

/**
 * Names a configured secret. Undefined means the algorithm's current default. Null is for hashes that were stored
 * without an id: they have no secret, or the one with a setting of its own. A default that was configured later must
 * not apply to them, because every password would then be wrong.
 */
export type SecretId = string | null | undefined;

/** `legacy`: salted and iterated, but cheap to guess today. `broken`: one or a few digests, no salt, or reversible. */
export type Strength = 'strong' | 'legacy' | 'broken';

/** The refusal of a hash string. The message is public: it names the rule and the bound, never the hash itself. */
export class HashRefused extends Error {
  readonly reason: 'format' | 'cost' | 'secret' | 'signer-key-missing' | 'unavailable';
  constructor(reason: HashRefused['reason'], detail: string) {
    super(detail);
    this.name = 'HashRefused';
    this.reason = reason;
  }
}

/** Memory and time that one verification of a hash needs. */
export interface HashCost {
  /** Peak memory of a verification, in bytes. */
  memoryBytes: number;
  /**
   * Time in milliseconds on one thread of the reference machine, a usual server, whatever this machine takes. All
   * instances must accept the same hashes, today and after a move to other hardware. The file of each algorithm has its
   * figures; docs/hash-reference.md has the table.
   */
  ms: number;
  /**
   * Where the hash is computed, if not on libuv's threads. `event-loop`: takes microseconds, so it runs on the calling
   * thread. `worker`: a loop of rounds in JavaScript, on a thread of the hashing process. `sandbox`: a native library
   * that may crash, alone in a process.
   */
  runsOn?: 'event-loop' | 'worker' | 'sandbox';
}

/** The parameters of a hash, for people. Names of lengths and sizes include the unit. */
export type HashParameters = Readonly<Record<string, string | number>>;

/** A hash string that a mistake may have turned into the one at hand. It is not parsed yet and may be refused. */
export interface Repair {
  mistake: MistakeCode;
  encoded: string;
  /** The verifier with another setting, if the setting is at fault and not the hash. */
  verifier?: HashVerifier;
}

/**
 * Functions for algorithms whose hashes contain one digest: they return the stored digest and compute that of a
 * password.
 */
export interface Computation<Parsed> {
  /** Returns the decoded digest that the hash text contains. */
  digest(parsed: Parsed): Buffer;
  /**
   * Returns the digest of a password, or undefined if no password of these bytes can match. `secret` is empty if there
   * is none.
   */
  of(parsed: Parsed, password: Buffer, secret: Buffer): Promise<Buffer | undefined> | Buffer | undefined;
}

/** Operations of an algorithm on its parsed hashes. Only the algorithm knows the type of `parsed`. */
export interface HashOperations {
  decoy(parsed: unknown, encoded: string): string;
  describe(parsed: unknown): HashParameters;
  /**
   * Returns a text that identifies a hash: the same text however the hash was written, and another one for every other
   * hash.
   */
  identity(parsed: unknown): string;
  strengthOf(parsed: unknown): Strength;
  /** Returns whether no other password that people could type has the same digest. */
  isOnlyPassword(parsed: unknown, password: Buffer, secret: Buffer): boolean;
  /** Returns whether the password as sent matches. The second form that `secondReading` returns is not tried. */
  verify(parsed: unknown, password: Buffer, secret: Buffer): Promise<boolean>;
  secondReading?(parsed: unknown): SecondReading | undefined;
  /** Functions that read and compute the digest of a hash. Undefined if hashes can only be verified as a whole. */
  readonly compute?: Computation<unknown> | undefined;
  withoutDigest(parsed: unknown, encoded: string): string | undefined;
  clearText?(parsed: unknown): string | undefined;
  portable?(parsed: unknown, encoded: string): PortableHash | undefined;
}

/** An algorithm to which the limits and secrets of this service are applied. */
export interface HashVerifier {
  /** The name in `hashingAlgorithm`, which is saved beside each hash. Sign-in uses it and never guesses. */
  readonly algorithm: string;
  /** The name in messages, such as `BCrypt` in "Password hash is in invalid BCrypt format". */
  readonly displayName: string;
  /** Name of the algorithm in SuperTokens core. */
  readonly superTokensName: string;
  /** Other names that requests may use for the algorithm. */
  readonly aliases: readonly string[];
  /** Strength of the family's usual hashes. */
  readonly strength: Strength;
  readonly operations: HashOperations;
  /** Whether every hash of the algorithm needs a configured secret. */
  readonly needsSecret: boolean;
  /** Whether some or all hashes of the algorithm need a configured secret. */
  readonly takesSecret: boolean;
  /**
   * Returns whether the string has the shape of this family and of no other. No string is recognised by two verifiers.
   */
  recognises(encoded: string): boolean;
  /** Returns whether the string has the shape of this family, which other families may share. */
  resembles(encoded: string): boolean;
  /**
   * Parses the whole string and checks its cost. Runs no KDF.
   * @throws {HashRefused} with the rule that was broken
   */
  parse(encoded: string, secretId?: SecretId): ParsedHash;
  /**
   * Returns what the string may have been before a mistake, the most likely first. The list is short, and no KDF runs.
   * @throws {HashRefused} as `parse` does for the secret
   */
  repairs(encoded: string, secretId?: SecretId): Repair[];
}

/** A configured secret. The id is undefined for a secret with a setting of its own. */
export interface KnownSecret {
  id: string | undefined;
  bytes: Uint8Array;
}

const NO_SECRET = new Uint8Array();

/**
 * A hash that was parsed completely and is within the bounds of its verifier. Only verifiers create instances. Private
 * fields stay out of JSON and out of messages to other processes, where an instance becomes a plain PasswordHash.
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

  /**
   * Returns a hash with the same parameters over a fixed salt and digest. It costs the same to verify and reveals
   * nothing of this hash.
   */
  decoy(): string {
    return this.#verifier.operations.decoy(this.#parsed, this.encoded);
  }

  /** Returns the parameters and the lengths of the parts, and nothing of salt and digest. */
  describe(): HashParameters {
    return this.#verifier.operations.describe(this.#parsed);
  }

  /** Returns the cost of verifying this password: twice the cost of the hash if the password may have a second form. */
  costOf(password: Uint8Array): HashCost {
    const isReadTwice = this.secondReading?.mayDiffer(bufferOf(password)) === true;
    return isReadTwice ? { ...this.#cost, ms: 2 * this.#cost.ms } : this.#cost;
  }

  /**
   * Returns whether the password matches. `password` is its exact bytes in UTF-8, encoded once by the caller.
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

  /** The hash in terms of a public algorithm. Undefined if there is none that is shared with other systems. */
  get portable(): PortableHash | undefined {
    return this.#verifier.operations.portable?.(this.#parsed, this.encoded);
  }

  /**
   * Gives the second form of a password, which is tried if the password itself does not match. Undefined if there is
   * none.
   */
  get secondReading(): SecondReading | undefined {
    return this.#verifier.operations.secondReading?.(this.#parsed);
  }

  get identity(): string {
    return this.#verifier.operations.identity(this.#parsed);
  }

  /** Returns whether no other password matches if this one does (src/hashing/kdf/password-reading.ts). */
  isOnlyPassword(password: Uint8Array): boolean {
    return this.#verifier.operations.isOnlyPassword(this.#parsed, bufferOf(password), bufferOf(this.#secret));
  }

  /** The digest of the hash, or undefined if a hash of this algorithm is not a single digest. */
  get digest(): Buffer | undefined {
    return this.#verifier.operations.compute?.digest(this.#parsed);
  }

  /**
   * Returns the digest that the hash would have for this password. Undefined if no password of these bytes can match,
   * or if the algorithm has no `compute`.
   */
  async digestOf(password: Uint8Array): Promise<Buffer | undefined> {
    return this.#verifier.operations.compute?.of(this.#parsed, bufferOf(password), bufferOf(this.#secret));
  }

  /** The password, if the hash contains it in readable form. Such a password must be hashed before it is stored. */
  get clearText(): string | undefined {
    return this.#verifier.operations.clearText?.(this.#parsed);
  }

  /** Returns the hash with a digest of zeros, or undefined if the digest cannot be removed. */
  withoutDigest(): string | undefined {
    return this.#verifier.operations.withoutDigest(this.#parsed, this.encoded);
  }
}

/** Parses a hash, or returns why it is refused. */
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
