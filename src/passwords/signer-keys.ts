import { SIGNER_KEY_ALGORITHM } from '../hashing/families.ts';
import type { HashRegistry } from '../hashing/registry.ts';
import { NONCE_BYTES, type SecretFingerprint } from '../hashing/secrets.ts';
import { AppError } from '../lib/errors.ts';
import { decodeBase64 } from '../lib/text/base64.ts';

export const NONCE = {
  maxCharacters: 4 * Math.ceil(NONCE_BYTES.max / 3),
  expected: `base64 of ${NONCE_BYTES.min} to ${NONCE_BYTES.max} bytes`,
};

/**
 * Returns fingerprints of the signer keys. A caller who has a key can find it among them.
 * @param nonce in base64, chosen by the caller; another nonce gives other fingerprints
 * @throws {AppError} FIELD_INVALID if the nonce is malformed
 */
export function listSignerKeys(registry: HashRegistry, nonce: string): readonly SecretFingerprint[] {
  const bytes = decodeBase64(nonce, 'lenient');
  if ('problem' in bytes || bytes.length < NONCE_BYTES.min || bytes.length > NONCE_BYTES.max)
    throw new AppError(
      'FIELD_INVALID',
      `Field name 'nonce' is invalid in JSON input: expected ${NONCE.expected}`,
    );
  return registry.secrets.fingerprints(SIGNER_KEY_ALGORITHM, bytes);
}
