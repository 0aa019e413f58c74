import { checkMs } from './formats/cost-bounds.ts';
import {
  type HashCost,
  type HashParameters,
  HashRefused,
  type HashVerifier,
  type Repair,
  type StoredHash,
} from './verifier.ts';

/** What is particular to one algorithm. `Parsed`: a hash string taken apart and within its bounds. */
export interface Algorithm<Parsed> {
  algorithm: string;
  displayName: string;
  /** Anchored at the start; what tells this family from all others. */
  prefix: RegExp;
  /** The whole string, to its last character, and the bounds of each parameter. @throws {HashRefused} */
  parse(encoded: string): Parsed;
  cost(parsed: Parsed): HashCost;
  decoy(parsed: Parsed): string;
  describe(parsed: Parsed): HashParameters;
  /** Works on the text, for most of what needs a repair does not parse. May give `encoded` itself where nothing fits. */
  repairs(encoded: string): Repair[];
  /** Runs the KDF. @throws what the library throws */
  matches(parsed: Parsed, password: Buffer): Promise<boolean>;
}

/** Room for a salt and a digest of 1024 bytes and 512 of associated data, far above any in use. */
const MAX_LENGTH = 4096;

/**
 * What all algorithms share: a bounded input, one place that makes a `StoredHash`, and bounds that hold at sign-in too.
 * @param maxMs hashing_max_ms: parameters that are each within their bounds can still multiply to half a minute
 */
export function defineVerifier<Parsed>(definition: Algorithm<Parsed>, maxMs: number): HashVerifier {
  const { algorithm, displayName, prefix } = definition;

  function parse(encoded: string): Parsed {
    if (encoded.length > MAX_LENGTH) {
      throw new HashRefused('format', `expected at most ${MAX_LENGTH} characters, got ${encoded.length}`);
    }
    const parsed = definition.parse(encoded);
    checkMs(definition.cost(parsed).ms, maxMs);
    return parsed;
  }

  function accept(encoded: string): StoredHash {
    parse(encoded);
    return encoded as StoredHash;
  }

  /** A stored hash that is refused now (a lowered bound, a changed signer key) is our failure, not the caller's. */
  function parseStored(stored: StoredHash): Parsed {
    try {
      return parse(stored);
    } catch (cause) {
      if (!(cause instanceof HashRefused)) throw cause;
      throw new Error(`a stored ${algorithm} hash can no longer be verified: ${cause.message}`, { cause });
    }
  }

  return {
    algorithm,
    displayName,
    recognises: (encoded) => prefix.test(encoded),
    accept,
    cost: (stored) => definition.cost(parseStored(stored)),
    decoy: (stored) => accept(definition.decoy(parseStored(stored))),
    describe: (stored) => definition.describe(parseStored(stored)),
    repairs(encoded) {
      if (encoded.length > MAX_LENGTH) return [];
      return definition
        .repairs(encoded)
        .filter((repair) => repair.verifier !== undefined || repair.encoded !== encoded);
    },
    verify: async (stored, password) =>
      definition.matches(
        parseStored(stored),
        Buffer.from(password.buffer, password.byteOffset, password.byteLength),
      ),
  };
}
