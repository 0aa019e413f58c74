import { createHmac } from 'node:crypto';

/** Bytes of the nonce that a caller chooses. */
export const NONCE_BYTES = { min: 16, max: 64 };

/**
 * Shortest secret that has a fingerprint. Signer keys of Firebase are 64 random bytes. Whoever has a fingerprint can try out any number
 * of secrets, so those that people think up have none (docs/adr/0034-signer-key-fingerprints.md).
 */
const MIN_KEY_BYTES = 32;
/** A passphrase is text, and random bytes hardly ever are. */
const TEXT = /^[\x20-\x7e]*$/;

const DOMAIN = 'user-import-core: fingerprint of a signer key, 1\0';

export const hasFingerprint = (key: Uint8Array) =>
  key.length >= MIN_KEY_BYTES && !TEXT.test(Buffer.from(key).toString('latin1'));

/** Returns 32 bytes that tell two keys apart for whoever chose the nonce and knows the key. HMAC fills keys up with zeros, so the length is digested, too. */
export function signerKeyFingerprint(key: Uint8Array, nonce: Uint8Array): Buffer {
  return createHmac('sha256', key).update(`${DOMAIN}${key.length}\0`).update(nonce).digest();
}
