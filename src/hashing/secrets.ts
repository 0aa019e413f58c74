import { createHmac } from 'node:crypto';
import { HashRefused } from './refused.ts';
import type { KnownSecret, SecretId } from './verifier.ts';

/** Secret with which a former system made its hashes: a pepper, a site key or a signer key. */
export interface HashingSecret {
  /** Id of the secret in `hashing_secrets`. Undefined for the signer key that has a setting of its own. */
  id: string | undefined;
  /** Algorithm whose hashes use this secret if they name none. */
  algorithm: string | undefined;
  /**
   * Further algorithms whose hashes may use this secret. A hash of any other algorithm is refused if it names the
   * secret.
   */
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

/** Facts about a configured secret, with which a caller who has a secret can check whether it is this one. */
export interface SecretFingerprint {
  id: string | undefined;
  isDefault: boolean;
  /** Undefined if the fingerprint would allow guessing the secret, or if other algorithms use the secret, too. */
  fingerprint: Buffer | undefined;
}

/**
 * Configured hashing secrets. A secret may only be used for hashes of the algorithms that its entry names:
 * some algorithms read only a part of a secret, and callers may bring hashes of any algorithm.
 */
export class HashingSecrets {
  readonly #secrets: readonly HashingSecret[];

  constructor(secrets: readonly HashingSecret[]) {
    this.#secrets = secrets;
  }

  /**
   * Returns the secret with this id, or the default secret of the algorithm. Undefined if no secret applies.
   * @throws {HashRefused} `secret` if the id is unknown, or if its entry does not name the algorithm
   */
  find(algorithm: string, id: SecretId): KnownSecret | undefined {
    if (typeof id !== 'string') {
      const secret = this.#defaultOf(algorithm);
      return id === null && secret?.id !== undefined ? undefined : secret;
    }
    const secret = this.#withId(id);
    if (secret === undefined) throw new HashRefused('secret', UNKNOWN_SECRET);
    if (!servedBy(secret).includes(algorithm)) throw secretOfOthers(algorithm);
    return secret;
  }

  /** Returns the ids of the configured secrets that hashes of an algorithm may use. */
  idsFor(algorithm: string): readonly string[] {
    return this.#serving(algorithm).flatMap(({ id }) => id ?? []);
  }

  has(id: string, algorithm?: string): boolean {
    const secret = this.#withId(id);
    return secret !== undefined && (algorithm === undefined || servedBy(secret).includes(algorithm));
  }

  fingerprints(algorithm: string, nonce: Uint8Array): SecretFingerprint[] {
    return this.#serving(algorithm).map((secret) => {
      const { id, bytes } = secret;
      const isShared = servedBy(secret).some((other) => other !== algorithm);
      const fingerprint = isShared || !hasFingerprint(bytes) ? undefined : signerKeyFingerprint(bytes, nonce);
      return { id, isDefault: this.#defaultOf(algorithm) === secret, fingerprint };
    });
  }

  #withId(id: string): HashingSecret | undefined {
    return this.#secrets.findLast((secret) => secret.id === id);
  }

  #defaultOf(algorithm: string): HashingSecret | undefined {
    return this.#secrets.findLast((secret) => secret.algorithm === algorithm);
  }

  #serving(algorithm: string): HashingSecret[] {
    return this.#secrets.filter((secret) => servedBy(secret).includes(algorithm));
  }
}

const servedBy = ({ algorithm, algorithms = [] }: HashingSecret): readonly string[] =>
  algorithm === undefined ? algorithms : [algorithm, ...algorithms];

export type SecretLookup = Pick<HashingSecrets, keyof HashingSecrets>;

const secretOfOthers = (algorithm: string) =>
  new HashRefused(
    'secret',
    `the entry of hashingSecretId in 'hashing_secrets' does not serve ${algorithm}: if its secret belongs to such hashes, add ${algorithm} to the 'algorithms' of the entry`,
  );

/** Permitted length in bytes of the nonce that a caller sends to get fingerprints of signer keys. */
export const NONCE_BYTES = { min: 16, max: 64 };

/**
 * Minimum length of a secret that gets a fingerprint. Anybody with a fingerprint can test any number of
 * guesses, so secrets that people make up have none (docs/adr/0034-signer-key-fingerprints.md). Firebase's
 * signer keys are 64 random bytes.
 */
const MIN_KEY_BYTES = 32;
/** Matches secrets of printable ASCII: passphrases match, and random bytes hardly ever do. */
const TEXT = /^[\x20-\x7e]*$/;

const DOMAIN = 'user-import-core: fingerprint of a signer key, 1\0';

const hasFingerprint = (key: Uint8Array) =>
  key.length >= MIN_KEY_BYTES && !TEXT.test(Buffer.from(key).toString('latin1'));

/**
 * Returns the 32 bytes by which a caller who has the signer key recognises it. The caller chooses the nonce.
 * The length of the key is digested too, because HMAC pads keys with zeros.
 */
export function signerKeyFingerprint(key: Uint8Array, nonce: Uint8Array): Buffer {
  return createHmac('sha256', key).update(`${DOMAIN}${key.length}\0`).update(nonce).digest();
}
