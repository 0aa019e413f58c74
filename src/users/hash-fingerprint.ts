import { createHmac } from 'node:crypto';
import type { PasswordHash } from '../hashing/verifier.ts';
import { deriveKeys } from '../lib/derive-keys.ts';

/** Of so many bytes no two hashes have the same. */
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

  /** In hexadecimal. @param hash as it was parsed: then it names its secret also where that goes without saying */
  of(hash: PasswordHash): string {
    const [key] = this.#keys;
    if (key === undefined) throw new Error('fingerprints need a key');
    return fingerprint(key, hash);
  }

  /** Was the fingerprint made of this hash? */
  isOf(hash: PasswordHash, known: string): boolean {
    return this.#keys.some((key) => fingerprint(key, hash) === known);
  }
}

function fingerprint(key: Buffer, { algorithm, secretId = '', encoded }: PasswordHash): string {
  // Names of algorithms and ids of secrets hold no NUL.
  const text = [algorithm, secretId, encoded].join('\0');
  return createHmac('sha256', key)
    .update(text)
    .digest('hex')
    .slice(0, 2 * BYTES);
}
