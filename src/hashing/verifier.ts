import type { MistakeCode } from './diagnose/mistakes.ts';

/** A hash string that passed `accept()`. Only this type reaches the store: saving an unchecked hash is a type error. */
export type StoredHash = string & { readonly __brand: 'StoredHash' };

/** A stored hash and the algorithm it was accepted as. */
export interface PasswordHash {
  encoded: StoredHash;
  algorithm: string;
}

/** Why a hash string was refused. `detail` is public: it names the rule and the bound, never the hash itself. */
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
  /** By the reference table (reference-cost.ts), whatever this machine takes. */
  ms: number;
}

/** What a hash says about how it was made, for people. Lengths and sizes have their unit in the name. */
export type HashParameters = Readonly<Record<string, string | number>>;

/** A hash that some mistake would have turned into the one at hand. Nothing is known of it: `accept` is still to come. */
export interface Repair {
  mistake: MistakeCode;
  encoded: string;
  /** Where not the hash is at fault but a setting: the verifier as it would be with another. */
  verifier?: HashVerifier;
}

/** Everything this service knows about one algorithm. One implementation a file, listed once in registry.ts. */
export interface HashVerifier {
  /** The wire name; saved beside the hash. Sign-in dispatches on it and never guesses. */
  readonly algorithm: string;
  /** How messages name the algorithm, e.g. `BCrypt` in "Password hash is in invalid BCrypt format". */
  readonly displayName: string;
  /** Is this string of this family? Cheap, looks at the prefix only, disjoint between verifiers. */
  recognises(encoded: string): boolean;
  /** Whole parse and cost bounds, no KDF. @throws {HashRefused} with the rule that was broken. */
  accept(encoded: string): StoredHash;
  /** What one `verify` of this hash takes, for the gate. */
  cost(stored: StoredHash): HashCost;
  /** The same parameters over a fixed salt and digest: costs what verifying `stored` costs and tells nothing about it. */
  decoy(stored: StoredHash): StoredHash;
  /** What was read from the hash: its parameters, and how long its parts are. Nothing of salt and digest. */
  describe(stored: StoredHash): HashParameters;
  /** What the string may have been before a likely mistake, likeliest first: a handful, whatever the string. No KDF. */
  repairs(encoded: string): Repair[];
  /**
   * Is this the password? `password` is the exact bytes (UTF-8, encoded once by the caller).
   * Answers only that: a hash outside the bounds, corrupt data and library failures throw.
   */
  verify(stored: StoredHash, password: Uint8Array): Promise<boolean>;
}
