import type { MistakeCode } from './diagnose/mistakes.ts';

/** The text of a hash that was parsed. Only this type reaches the store: saving an unchecked hash is a type error. */
export type StoredHash = string & { readonly __brand: 'StoredHash' };

/** A stored hash and the algorithm it was parsed as. */
export interface PasswordHash {
  readonly encoded: StoredHash;
  readonly algorithm: string;
}

/** Why a hash string was refused. The message is public: it names the rule and the bound, never the hash itself. */
export class HashRefused extends Error {
  readonly reason: 'format' | 'cost' | 'signer-key-missing';
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

/** What an algorithm does with hashes that it has parsed. What `parsed` is only the algorithm knows. */
export interface HashOperations {
  decoy(encoded: string, parsed: unknown): string;
  describe(parsed: unknown): HashParameters;
  verify(parsed: unknown, password: Buffer): Promise<boolean>;
}

/** An algorithm with the bounds of this service. */
export interface HashVerifier {
  /** The wire name, saved beside each hash. Sign-in goes by it and never guesses. */
  readonly algorithm: string;
  /** How messages name the algorithm, e.g. `BCrypt` in "Password hash is in invalid BCrypt format". */
  readonly displayName: string;
  /** How SuperTokens core calls it. */
  readonly superTokensName: string;
  readonly operations: HashOperations;
  /** Verifying keeps an event loop busy, and none of libuv's threads. */
  readonly loopsInJavaScript: boolean;
  /** Is this string of this family? Looks at the prefix only. No string is recognised by two verifiers. */
  recognises(encoded: string): boolean;
  /** Reads the whole string and checks its cost. Runs no KDF. @throws {HashRefused} with the rule that was broken */
  parse(encoded: string): ParsedHash;
  /** What the string may have been before a likely mistake, likeliest first: a handful, whatever the string. No KDF. */
  repairs(encoded: string): Repair[];
}

/**
 * A hash that was read whole and is within the bounds of its verifier. Only verifiers make them. What is private here
 * stays out of JSON and of messages to other processes: both take it for a plain PasswordHash.
 */
export class ParsedHash implements PasswordHash {
  readonly encoded: StoredHash;
  readonly algorithm: string;
  readonly #verifier: HashVerifier;
  readonly #parsed: unknown;
  readonly #cost: HashCost;

  constructor(verifier: HashVerifier, encoded: string, parsed: unknown, cost: HashCost) {
    this.encoded = encoded as StoredHash;
    this.algorithm = verifier.algorithm;
    this.#verifier = verifier;
    this.#parsed = parsed;
    this.#cost = cost;
  }

  get verifier(): HashVerifier {
    return this.#verifier;
  }

  get cost(): HashCost {
    return this.#cost;
  }

  /** The same parameters over a fixed salt and digest: costs the same to verify, and tells nothing of this hash. */
  decoy(): string {
    return this.#verifier.operations.decoy(this.encoded, this.#parsed);
  }

  /** Its parameters, and how long its parts are. Nothing of salt and digest. */
  describe(): HashParameters {
    return this.#verifier.operations.describe(this.#parsed);
  }

  /**
   * Is this the password? `password` is its exact bytes, UTF-8, encoded once by the caller.
   * @throws what the hash library throws: a failure is never "no"
   */
  verify(password: Uint8Array): Promise<boolean> {
    const bytes = Buffer.from(password.buffer, password.byteOffset, password.byteLength);
    return this.#verifier.operations.verify(this.#parsed, bytes);
  }
}
