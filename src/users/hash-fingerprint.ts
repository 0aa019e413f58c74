import { createHmac } from 'node:crypto';
import type { KeptHash } from '../hashing/verifier.ts';
import { deriveKeys } from '../lib/derive-keys.ts';

/** Length of a fingerprint. Two hashes never share 16 bytes of an HMAC in practice. */
const BYTES = 16;

/** Keys for other uses are made of the same secrets. */
const USE = 'fingerprints of imported hashes';

/**
 * Tells imported hashes again that are kept no more, as the service put a hash of its own in their place. The fingerprints are keyed:
 * a bare digest of an unsalted MD5 would be as easy to guess passwords by as the MD5 (docs/adr/0019-password-upgrade.md).
 */
export class HashFingerprints {
  readonly #keys: readonly Buffer[];

  /** @param secrets the keys of the service: fingerprints are made with the first, and known again by all */
  constructor(secrets: readonly string[]) {
    this.#keys = deriveKeys(secrets, USE);
  }

  /** In hexadecimal, the same for all spellings of the hash. */
  of(hash: KeptHash): string {
    const [key] = this.#keys;
    if (key === undefined) throw new Error('fingerprints need a key');
    return fingerprint(key, identityOf(hash));
  }

  /** Returns whether the fingerprint belongs to this hash, in any spelling. Earlier versions made fingerprints of the text. */
  isOf(hash: KeptHash, known: string): boolean {
    const texts = [identityOf(hash), textOf(hash)];
    return this.#keys.some((key) => texts.some((text) => fingerprint(key, text) === known));
  }
}

// Names of algorithms and ids of secrets hold no NUL, and no algorithm has an empty name.
const identityOf = ({ secretId = '', identity }: KeptHash) => ['', secretId, identity].join('\0');
const textOf = ({ algorithm, secretId = '', encoded }: KeptHash) => [algorithm, secretId, encoded].join('\0');

const fingerprint = (key: Buffer, text: string) =>
  createHmac('sha256', key)
    .update(text)
    .digest('hex')
    .slice(0, 2 * BYTES);
