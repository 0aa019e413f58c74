import type { MistakeCode } from './diagnose/mistakes.ts';
import type { SecondReading } from './kdf/password-reading.ts';

/** The text of a hash that was parsed. Only this type reaches the store: saving an unchecked hash is a type error. */
export type StoredHash = string & { readonly __brand: 'StoredHash' };

/** A stored hash and the algorithm it was parsed as. */
export interface PasswordHash {
  readonly encoded: StoredHash;
  readonly algorithm: string;
  /** The id of the configured secret that it was made with. Undefined: none, or the one that its algorithm always had. */
  readonly secretId?: string | undefined;
}

/** A hash that is to be kept. */
export interface KeptHash extends PasswordHash {
  readonly strength: Strength;
  /** Algorithm, parameters, salt and digest: the same for all spellings of one hash. */
  readonly identity: string;
}

/**
 * Names a configured secret. Undefined: the default of the algorithm, whatever that is now. Null, of hashes that were stored without
 * an id: none, or the one in a setting of its own; a default that came later would make every password a wrong one.
 */
export type SecretId = string | null | undefined;

/** `legacy`: salted and iterated, but cheap to guess today. `broken`: one or a few digests, no salt, or reversible. */
export type Strength = 'strong' | 'legacy' | 'broken';

/** Why a hash string was refused. The message is public: it names the rule and the bound, never the hash itself. */
export class HashRefused extends Error {
  readonly reason: 'format' | 'cost' | 'secret' | 'signer-key-missing' | 'unavailable';
  constructor(reason: HashRefused['reason'], detail: string) {
    super(detail);
    this.name = 'HashRefused';
    this.reason = reason;
  }
}

/** What one verification takes. */
export interface HashCost {
  /** Peak working memory. */
  memoryBytes: number;
  /**
   * On one thread of a usual server, whatever this machine takes: all instances must accept the same hashes, today and
   * after a move. The figures are in the file of each algorithm, the table is in docs/hash-formats.md.
   */
  ms: number;
  /**
   * Where it is computed, if not on libuv's threads. `event-loop`: in microseconds, right here. `worker`: a loop of rounds, on a thread
   * of the hashing process. `sandbox`: by a native library that may crash, alone in a process.
   */
  runsOn?: 'event-loop' | 'worker' | 'sandbox';
}

/** What a hash says about how it was made, for people. Lengths and sizes have their unit in the name. */
export type HashParameters = Readonly<Record<string, string | number>>;

/** A hash that some mistake would have turned into the one at hand. It is not parsed yet, and may well be refused. */
export interface Repair {
  mistake: MistakeCode;
  encoded: string;
  /** The verifier with another setting, where a setting is at fault and not the hash. */
  verifier?: HashVerifier;
}

/** A hash that is a digest and what it was made from. */
export interface Computation<Parsed> {
  /** The digest that the hash holds, decoded. */
  digest(parsed: Parsed): Buffer;
  /** The digest of this password. `secret` is empty where there is none. Undefined: no password of these bytes can match. */
  of(parsed: Parsed, password: Buffer, secret: Buffer): Promise<Buffer | undefined> | Buffer | undefined;
}

/** What an algorithm does with hashes that it has parsed. What `parsed` is only the algorithm knows. */
export interface HashOperations {
  decoy(parsed: unknown, encoded: string): string;
  describe(parsed: unknown): HashParameters;
  /** Returns a text that is the same for all spellings of a hash, and another one for any other hash. */
  identity(parsed: unknown): string;
  strengthOf(parsed: unknown): Strength;
  /** Returns whether no other password that people type has the same digest as this one. */
  isOnlyPassword(parsed: unknown, password: Buffer, secret: Buffer): boolean;
  /** Of the password as it is. */
  verify(parsed: unknown, password: Buffer, secret: Buffer): Promise<boolean>;
  secondReading?(parsed: unknown): SecondReading | undefined;
  /** Undefined: its hashes can only be verified as a whole. */
  readonly compute?: Computation<unknown> | undefined;
  withoutDigest(parsed: unknown, encoded: string): string | undefined;
  clearText?(parsed: unknown): string | undefined;
}

/** An algorithm with the bounds of this service. */
export interface HashVerifier {
  /** The wire name, saved beside each hash. Sign-in goes by it and never guesses. */
  readonly algorithm: string;
  /** How messages name the algorithm, e.g. `BCrypt` in "Password hash is in invalid BCrypt format". */
  readonly displayName: string;
  /** How SuperTokens core calls it. */
  readonly superTokensName: string;
  /** Other names that requests may use. */
  readonly aliases: readonly string[];
  /** Of its usual hashes. */
  readonly strength: Strength;
  readonly operations: HashOperations;
  /** All its hashes are made with a secret that is configured. */
  readonly needsSecret: boolean;
  /** Its hashes are made with a secret that is configured, all of them or some. */
  readonly takesSecret: boolean;
  /** Is this string of this family, and of no other? Looks at its shape only. No string is recognised by two verifiers. */
  recognises(encoded: string): boolean;
  /** Has the string the shape of this family, which may be that of others, too? */
  resembles(encoded: string): boolean;
  /**
   * Reads the whole string and checks its cost. Runs no KDF.
   * @throws {HashRefused} with the rule that was broken
   */
  parse(encoded: string, secretId?: SecretId): ParsedHash;
  /** What the string may have been before a likely mistake, likeliest first: a handful, whatever the string. No KDF. @throws {HashRefused} as `parse` for the secret */
  repairs(encoded: string, secretId?: SecretId): Repair[];
}

/** A configured secret. Without an id it is the one that its algorithm always had, in a setting of its own. */
export interface KnownSecret {
  id: string | undefined;
  bytes: Uint8Array;
}

const NO_SECRET = new Uint8Array();

/**
 * A hash that was read whole and is within the bounds of its verifier. Only verifiers make them. What is private here
 * stays out of JSON and of messages to other processes: both take it for a plain PasswordHash.
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

  /** The same parameters over a fixed salt and digest: costs the same to verify, and tells nothing of this hash. */
  decoy(): string {
    return this.#verifier.operations.decoy(this.#parsed, this.encoded);
  }

  /** Its parameters, and how long its parts are. Nothing of salt and digest. */
  describe(): HashParameters {
    return this.#verifier.operations.describe(this.#parsed);
  }

  /**
   * Returns what it takes to verify this password: twice the cost of the hash where the password has a second reading. It is a matter
   * of the password and the kind of the hash, so decoys take as long.
   */
  costOf(password: Uint8Array): HashCost {
    const isReadTwice = this.#secondReadingOf(bufferOf(password)) !== undefined;
    return isReadTwice ? { ...this.#cost, ms: 2 * this.#cost.ms } : this.#cost;
  }

  /**
   * Is this the password? `password` is its exact bytes, UTF-8, encoded once by the caller.
   * @throws what the hash library throws: a failure is never "no"
   */
  async verify(password: Uint8Array): Promise<boolean> {
    const bytes = bufferOf(password);
    const second = this.#secondReadingOf(bytes);
    return (await this.#verifyOnce(bytes)) || (second !== undefined && this.#verifyOnce(second));
  }

  #verifyOnce(password: Buffer): Promise<boolean> {
    return this.#verifier.operations.verify(this.#parsed, password, bufferOf(this.#secret));
  }

  #secondReadingOf(password: Buffer): Buffer | undefined {
    return this.secondReading?.of(password);
  }

  /** What is tried where a password itself does not match. */
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

  /** The digest it holds. Undefined: it is not of a kind that can be computed without it. */
  get digest(): Buffer | undefined {
    return this.#verifier.operations.compute?.digest(this.#parsed);
  }

  /** The digest it would hold if this were the password. Undefined: no password of these bytes can match. */
  async digestOf(password: Uint8Array): Promise<Buffer | undefined> {
    return this.#verifier.operations.compute?.of(this.#parsed, bufferOf(password), bufferOf(this.#secret));
  }

  /** The password, if the hash is no hash but the password itself. It must be hashed before it is stored. */
  get clearText(): string | undefined {
    return this.#verifier.operations.clearText?.(this.#parsed);
  }

  /** The same salt and parameters over a digest of zeros. Undefined: the digest cannot be taken out of this hash. */
  withoutDigest(): string | undefined {
    return this.#verifier.operations.withoutDigest(this.#parsed, this.encoded);
  }
}

/** Parses a hash. Returns why it is refused, where it is. */
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
