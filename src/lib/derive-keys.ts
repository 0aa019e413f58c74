import { createHmac } from 'node:crypto';

/**
 * Derives one key of 32 bytes from each secret, for one use. The key of one use reveals nothing about the secret or about the keys of
 * other uses.
 * @param use a text that no other use has
 */
export const deriveKeys = (secrets: readonly string[], use: string): Buffer[] =>
  secrets.map((secret) => createHmac('sha256', secret).update(use).digest());
