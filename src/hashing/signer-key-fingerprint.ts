import { createHmac } from 'node:crypto';

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

export const hasFingerprint = (key: Uint8Array) =>
  key.length >= MIN_KEY_BYTES && !TEXT.test(Buffer.from(key).toString('latin1'));

/**
 * Returns the 32 bytes by which a caller who has the signer key recognises it. The caller chooses the nonce.
 * The length of the key is digested too, because HMAC pads keys with zeros.
 */
export function signerKeyFingerprint(key: Uint8Array, nonce: Uint8Array): Buffer {
  return createHmac('sha256', key).update(`${DOMAIN}${key.length}\0`).update(nonce).digest();
}
