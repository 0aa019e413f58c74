import type { Family } from './family.ts';
import { type HashCost, OpenedHash, type Strength } from './form.ts';
import type { SecondReading } from './kdf/password-reading.ts';
import type { PossibleRepair } from './mistakes.ts';
import { orRefusal } from './refused.ts';
import { type Wrapping, wrappingOf } from './wrapped.ts';

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

/** Parameters of a hash to show to operators. Names of lengths and sizes include the unit. */
export type HashParameters = Readonly<Record<string, string | number>>;

/** The id is undefined for the signer key that has a setting of its own. */
export interface KnownSecret {
  id: string | undefined;
  bytes: Uint8Array;
}

export interface Repair extends Omit<PossibleRepair, 'secret'> {
  /** Verifier with another secret, if the configured secret is wrong rather than the hash. */
  verifier?: HashVerifier;
}

/** A family with the secrets and bounds of a service. */
export interface HashVerifier extends Omit<Family, 'repairs'> {
  /** Name that is saved beside each hash. Sign-ins use it and never guess. */
  readonly algorithm: string;
  /** Whether some or all hashes of the family need a configured secret. */
  readonly takesSecret: boolean;
  /**
   * Parses the whole hash string and checks its cost. Computes no hash.
   * @throws {HashRefused} with the rule that was broken
   */
  parse(encoded: string, secretId?: SecretId): ParsedHash;
  /**
   * Returns possible originals of a hash that was changed by mistake, the most likely first. Computes no hash.
   * @throws {HashRefused} as `parse` does for the secret
   */
  repairs(encoded: string, secretId?: SecretId): Repair[];
}

const NO_SECRET = Buffer.alloc(0);

/** Password hash that was parsed and passed all checks. */
export class ParsedHash extends OpenedHash implements KeptHash {
  declare readonly encoded: StoredHash;
  readonly algorithm: string;
  readonly secretId: string | undefined;
  readonly #verifier: HashVerifier;
  readonly #cost: HashCost;
  readonly #secret: Buffer;

  /** @param cost `opened.cost`, computed once */
  constructor(verifier: HashVerifier, opened: OpenedHash, cost: HashCost, secret: KnownSecret | undefined) {
    super(opened.form, opened.encoded, opened.parts, opened.inner);
    this.algorithm = verifier.algorithm;
    this.secretId = secret?.id;
    this.#verifier = verifier;
    this.#cost = cost;
    this.#secret = secret === undefined ? NO_SECRET : bufferOf(secret.bytes);
  }

  get verifier(): HashVerifier {
    return this.#verifier;
  }

  override get cost(): HashCost {
    return this.#cost;
  }

  override describe(): HashParameters {
    const inner = this.form.formula.family ?? this.form.owner;
    return { ...(inner !== this.algorithm && inner && { inner }), ...super.describe() };
  }

  get secondReading(): SecondReading | undefined {
    return this.form.options.second;
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
    if (await this.matches(bytes, this.#secret)) return true;
    const second = this.secondReading?.of(bytes);
    return second !== undefined && this.matches(second, this.#secret);
  }

  /** Returns the digest of a password. Undefined if no password of these bytes can match. */
  digestOf(password: Uint8Array): Promise<Buffer | undefined> {
    return this.compute(bufferOf(password), this.#secret);
  }

  get identity(): string {
    return this.identityIn(this.algorithm);
  }

  isOnlyPassword(password: Uint8Array): boolean {
    return this.isOnly(bufferOf(password), this.#secret);
  }

  /** The password, if the hash contains it in readable form. It must be hashed before it is stored. */
  get clearText(): string | undefined {
    return this.form.formula.clearText?.(this.parts);
  }

  /** Returns how to wrap the hash, or undefined if that is impossible. */
  wrapping(): Promise<Wrapping | undefined> {
    return wrappingOf(this.#verifier, this, this.#secret);
  }
}

export const tryParse = (verifier: HashVerifier, encoded: string, secretId?: SecretId) =>
  orRefusal(() => verifier.parse(encoded, secretId));

const bufferOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Hash of a request, trimmed but not parsed. */
export interface SubmittedHash {
  encoded: string;
  named: HashVerifier | undefined;
  secret: SecretChoice;
}

export interface SecretChoice {
  /** Id of the secret that the request names. A request must name none if the hash's algorithm takes no secret. */
  id?: string | undefined;
  /** Secret for hashes whose request names none, if their algorithm takes a secret. */
  otherwise?: SecretId;
}

export const secretFor = ({ takesSecret }: HashVerifier, { id, otherwise }: SecretChoice): SecretId =>
  takesSecret ? (id ?? otherwise) : id;
