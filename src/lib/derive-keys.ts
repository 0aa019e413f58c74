import { createHmac } from 'node:crypto';

/** Keys of 32 bytes, which reveal nothing about the secrets or about keys with another `use`. */
export const deriveKeys = (secrets: readonly string[], use: string): Buffer[] =>
  secrets.map((secret) => createHmac('sha256', secret).update(use).digest());
