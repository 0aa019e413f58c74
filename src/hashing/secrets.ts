import { HashRefused, type KnownSecret, type SecretId } from './verifier.ts';

/** A secret that hashes were made with: a pepper, a site key, a signer key. */
export interface HashingSecret {
  /** Undefined: it has a setting of its own, and its algorithm never had another. */
  id: string | undefined;
  /** The algorithm whose default it is. */
  algorithm: string | undefined;
  bytes: Uint8Array;
}

/** A secret as the configuration has it once it is read, wherever it was written. */
export interface ConfiguredSecret {
  id: string;
  /** The wire name. */
  algorithm?: string;
  secret_base64: string;
}

export const UNKNOWN_SECRET = "'hashing_secrets' has no entry with the id of hashingSecretId";

/** Finds the secret that a hash was made with. */
export interface SecretLookup {
  /** @throws {HashRefused} `secret` for an unknown id */
  find(algorithm: string, id: SecretId): KnownSecret | undefined;
  readonly ids: readonly string[];
  has(id: string): boolean;
}

/** The configured secrets, by id and by the algorithm whose default they are. */
export class HashingSecrets implements SecretLookup {
  readonly #byId = new Map<string, KnownSecret>();
  readonly #defaults = new Map<string, KnownSecret>();

  constructor(secrets: readonly HashingSecret[]) {
    for (const { id, algorithm, bytes } of secrets) {
      const secret = { id, bytes };
      if (id !== undefined) this.#byId.set(id, secret);
      if (algorithm !== undefined) this.#defaults.set(algorithm, secret);
    }
  }

  /** @throws {HashRefused} `secret` for an unknown id */
  find(algorithm: string, id: SecretId): KnownSecret | undefined {
    if (typeof id !== 'string') {
      const secret = this.#defaults.get(algorithm);
      return id === null && secret?.id !== undefined ? undefined : secret;
    }
    const secret = this.#byId.get(id);
    if (secret === undefined) throw new HashRefused('secret', UNKNOWN_SECRET);
    return secret;
  }

  get ids(): string[] {
    return [...this.#byId.keys()];
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }
}
