/** Bytes of a secret that nobody guesses. */
const UNGUESSABLE_BYTES = 16;

/**
 * Returns the password with the secret behind it, for a function that reads at most `maxBytes`. Undefined where the function would read
 * a few bytes of the secret only: whoever chooses the password, and a hash to compare with, could then guess the secret byte by byte.
 */
export function appendSecret(password: Buffer, secret: Buffer, maxBytes: number): Buffer | undefined {
  const readBytes = Math.min(secret.length, maxBytes - password.length);
  if (readBytes < Math.min(secret.length, UNGUESSABLE_BYTES)) return undefined;
  return Buffer.concat([password, secret]);
}
