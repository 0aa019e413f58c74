import { hasFingerprint, signerKeyFingerprint } from './signer-key-fingerprint.ts';
import { HashRefused, type KnownSecret, type SecretId } from './verifier.ts';

/** Secret with which a former system made its hashes: a pepper, a site key or a signer key. */
export interface HashingSecret {
  /** Id of the secret in `hashing_secrets`. Undefined for the signer key that has a setting of its own. */
  id: string | undefined;
  /** Algorithm whose hashes use this secret if they name none. */
  algorithm: string | undefined;
  /** Further algorithms whose hashes may use this secret. Hashes of all others are refused with the secret. */
  algorithms?: readonly string[];
  bytes: Uint8Array;
}

/** Entry of the setting `hashing_secrets`, after its value was read from a file or a variable. */
export interface ConfiguredSecret {
  id: string;
  algorithm?: string;
  algorithms?: string[];
  secret_base64: string;
}

export const UNKNOWN_SECRET = "'hashing_secrets' has no entry with the id of hashingSecretId";

export interface SecretLookup {
  /**
   * Returns the secret with this id, or the default secret of the algorithm. Undefined if no secret applies.
   * @throws {HashRefused} `secret` if the id is unknown, or if its entry does not name the algorithm
   */
  find(algorithm: string, id: SecretId): KnownSecret | undefined;
  /** Returns the ids of the configured secrets that hashes of an algorithm may use. */
  idsFor(algorithm: string): readonly string[];
  has(id: string, algorithm?: string): boolean;
  fingerprints(algorithm: string, nonce: Uint8Array): SecretFingerprint[];
}

/** Facts about a configured secret by which a caller can check that it is the secret that the caller has. */
export interface SecretFingerprint {
  id: string | undefined;
  isDefault: boolean;
  /** Undefined if the fingerprint would allow guessing the secret, or if other algorithms use it, too. */
  fingerprint: Buffer | undefined;
}

/**
 * Configured hashing secrets. A secret may only be used for hashes of the algorithms that its entry names:
 * some algorithms read only a part of a secret, and callers may bring hashes of any algorithm.
 */
export class HashingSecrets implements SecretLookup {
  readonly #byId = new Map<string, { secret: KnownSecret; serves: ReadonlySet<string> }>();
  readonly #defaults = new Map<string, KnownSecret>();
  /** Signer keys that have a setting of their own and no id, by algorithm. */
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
