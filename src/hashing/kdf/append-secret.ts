const UNGUESSABLE_BYTES = 16;

/**
 * Returns undefined if the hash function, which reads at most `maxBytes`, would read only a few bytes of the
 * secret (pepper). Otherwise a caller who chooses the password, and a hash to compare with, could guess the
 * secret byte by byte.
 */
export function appendSecret(password: Buffer, secret: Buffer, maxBytes: number): Buffer | undefined {
  const readBytes = Math.min(secret.length, maxBytes - password.length);
  if (readBytes < Math.min(secret.length, UNGUESSABLE_BYTES)) return undefined;
  return Buffer.concat([password, secret]);
}
