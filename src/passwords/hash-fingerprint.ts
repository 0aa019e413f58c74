import { createHmac } from 'node:crypto';
import type { KeptHash } from '../hashing/verifier.ts';
import { deriveKeys } from '../lib/secrets.ts';

/** Length of a fingerprint: in practice, no two hashes share 16 bytes of an HMAC. */
const BYTES = 16;

/** Purpose of the keys. Keys for other purposes are derived from the same API keys. */
const USE = 'fingerprints of imported hashes';

/**
 * Recognises imported hashes that this service has since replaced. Fingerprints are keyed, because a bare
 * digest of an unsalted MD5 would be as easy to guess as the MD5 (docs/adr/0019-password-upgrade.md).
 */
export class HashFingerprints {
  #keys: readonly Buffer[];

  /** @param secrets API keys: the first makes new fingerprints, and all of them recognise old ones */
  constructor(secrets: readonly string[]) {
    this.#keys = deriveKeys(secrets, USE);
  }

  useSecrets(secrets: readonly string[]): void {
    this.#keys = deriveKeys(secrets, USE);
  }

  /** Returns the fingerprint of a hash as hexadecimal text. It is the same for all spellings of the hash. */
  of(hash: KeptHash): string {
    const [key] = this.#keys;
    if (key === undefined) throw new Error('fingerprints need a key');
    return fingerprint(key, identityOf(hash));
  }

  /**
   * Returns whether a known fingerprint belongs to the hash. Earlier versions made fingerprints of the hash's text.
   * These are recognised, too.
   */
  matchesFingerprint(hash: KeptHash, known: string): boolean {
    const texts = [identityOf(hash), textOf(hash)];
    return this.#keys.some((key) => texts.some((text) => fingerprint(key, text) === known));
  }
}

// Texts of which fingerprints are made. Their parts are joined by NULs, and different hashes never give the same text:
// names of algorithms and ids of secrets contain no NUL. identityOf() puts nothing before the first NUL; textOf()
// always puts an algorithm there, because no algorithm has an empty name.
const identityOf = ({ secretId = '', identity }: KeptHash) => ['', secretId, identity].join('\0');
const textOf = ({ algorithm, secretId = '', encoded }: KeptHash) => [algorithm, secretId, encoded].join('\0');

const fingerprint = (key: Buffer, text: string) =>
  createHmac('sha256', key)
    .update(text)
    .digest('hex')
    .slice(0, 2 * BYTES);
