import { hasFingerprint, signerKeyFingerprint } from './signer-key-fingerprint.ts';
import { HashRefused, type KnownSecret, type SecretId } from './verifier.ts';

/** A secret that hashes were made with: a pepper, a site key, a signer key. */
export interface HashingSecret {
  /** Undefined: it has a setting of its own, and its algorithm never had another. */
  id: string | undefined;
  /** The algorithm whose default it is. */
  algorithm: string | undefined;
  /** Further algorithms that it serves. Hashes of all others are refused with it. */
  algorithms?: readonly string[];
  bytes: Uint8Array;
}

/** A secret as the configuration has it once it is read, wherever it was written. */
export interface ConfiguredSecret {
  id: string;
  /** The wire name of the algorithm whose default it is. */
  algorithm?: string;
  /** The wire names of further algorithms that it serves. */
  algorithms?: string[];
  secret_base64: string;
}

export const UNKNOWN_SECRET = "'hashing_secrets' has no entry with the id of hashingSecretId";

/** Finds the secret that a hash was made with. */
export interface SecretLookup {
  /** @throws {HashRefused} `secret` for an unknown id, and for one whose entry does not name the algorithm */
  find(algorithm: string, id: SecretId): KnownSecret | undefined;
  /** Returns the ids of the secrets that serve an algorithm. */
  idsFor(algorithm: string): readonly string[];
  /** Returns whether a secret has this id and, if an algorithm is given, serves it. */
  has(id: string, algorithm?: string): boolean;
  /** Returns the secrets that serve an algorithm, each with its fingerprint where it has one. */
  fingerprints(algorithm: string, nonce: Uint8Array): SecretFingerprint[];
}

/** What callers are told of a configured secret, so that they can tell whether it is the one they know. */
export interface SecretFingerprint {
  /** Undefined: it has a setting of its own. */
  id: string | undefined;
  isDefault: boolean;
  /** Undefined: the secret could be guessed by it, or serves other algorithms as well. */
  fingerprint: Buffer | undefined;
}

/**
 * The configured secrets, by id and by the algorithm whose default they are. A secret serves only the algorithms that its entry
 * names: some algorithms read a part of a secret, and callers may bring hashes of any algorithm.
 */
export class HashingSecrets implements SecretLookup {
  readonly #byId = new Map<string, { secret: KnownSecret; serves: ReadonlySet<string> }>();
  readonly #defaults = new Map<string, KnownSecret>();
  /** Those with a setting of their own. */
  readonly #unnamed = new Map<string, KnownSecret>();

  constructor(secrets: readonly HashingSecret[]) {
    for (const { id, algorithm, algorithms = [], bytes } of secrets) {
      const secret = { id, bytes };
      const serves = new Set([...(algorithm === undefined ? [] : [algorithm]), ...algorithms]);
      if (id !== undefined) this.#byId.set(id, { secret, serves });
      if (algorithm !== undefined) this.#defaults.set(algorithm, secret);
      if (algorithm !== undefined && id === undefined) this.#unnamed.set(algorithm, secret);
    }
  }

  /** @throws {HashRefused} `secret` for an unknown id, and for one whose entry does not name the algorithm */
  find(algorithm: string, id: SecretId): KnownSecret | undefined {
    if (typeof id !== 'string') {
      const secret = this.#defaults.get(algorithm);
      return id === null && secret?.id !== undefined ? undefined : secret;
    }
    const known = this.#byId.get(id);
    if (known === undefined) throw new HashRefused('secret', UNKNOWN_SECRET);
    if (!known.serves.has(algorithm)) throw secretOfOthers(algorithm);
    return known.secret;
  }

  idsFor(algorithm: string): string[] {
    return [...this.#byId].flatMap(([id, { serves }]) => (serves.has(algorithm) ? [id] : []));
  }

  fingerprints(algorithm: string, nonce: Uint8Array): SecretFingerprint[] {
    const unnamed = this.#unnamed.get(algorithm);
    const named = [...this.#byId.values()].filter(({ serves }) => serves.has(algorithm));
    const all = [...(unnamed ? [{ secret: unnamed, serves: new Set([algorithm]) }] : []), ...named];
    return all.map(({ secret, serves }) => ({
      id: secret.id,
      isDefault: this.#defaults.get(algorithm) === secret,
      fingerprint:
        serves.size === 1 && hasFingerprint(secret.bytes)
          ? signerKeyFingerprint(secret.bytes, nonce)
          : undefined,
    }));
  }

  has(id: string, algorithm?: string): boolean {
    const known = this.#byId.get(id);
    return known !== undefined && (algorithm === undefined || known.serves.has(algorithm));
  }
}

const secretOfOthers = (algorithm: string) =>
  new HashRefused(
    'secret',
    `the entry of hashingSecretId in 'hashing_secrets' does not serve ${algorithm}: if its secret belongs to such hashes, add ${algorithm} to the 'algorithms' of the entry`,
  );
