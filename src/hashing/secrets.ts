import { HashRefused, type KnownSecret } from './verifier.ts';

/** A secret that hashes were made with: a pepper, a site key, a signer key. */
export interface HashingSecret {
  /** Undefined: it has a setting of its own, and its algorithm never had another. */
  id: string | undefined;
  /** The algorithm whose default it is. */
  algorithm: string | undefined;
  bytes: Uint8Array;
}

/** The configured secrets, by id and by the algorithm whose default they are. */
export class HashingSecrets {
  readonly #byId = new Map<string, KnownSecret>();
  readonly #defaults = new Map<string, KnownSecret>();

  constructor(secrets: readonly HashingSecret[]) {
    for (const { id, algorithm, bytes } of secrets) {
      if (id !== undefined) this.#byId.set(id, { id, bytes });
      if (algorithm !== undefined) this.#defaults.set(algorithm, { id, bytes });
    }
  }

  /** Returns the secret with this id, or the default of the algorithm, if it has one. @throws {HashRefused} `secret` for an unknown id */
  find(algorithm: string, id: string | undefined): KnownSecret | undefined {
    if (id === undefined) return this.#defaults.get(algorithm);
    const secret = this.#byId.get(id);
    if (secret === undefined)
      throw new HashRefused('secret', "'hashing_secrets' has no entry with the id of hashingSecretId");
    return secret;
  }
}
