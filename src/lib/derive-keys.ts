import { createHmac } from 'node:crypto';

/**
 * Derives a key of 32 bytes from each secret, for one purpose. A key reveals nothing about the secret or
 * about keys for other purposes.
 * @param use a text that is unique to this purpose
 */
export const deriveKeys = (secrets: readonly string[], use: string): Buffer[] =>
  secrets.map((secret) => createHmac('sha256', secret).update(use).digest());
