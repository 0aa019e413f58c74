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

const KEY_WORDS = 18;

/**
 * Returns the 72 bytes that the key schedule of `$2x$` hashes reads (crypt_blowfish before 1.1,
 * CVE-2011-2483). The bug sign-extends each byte before joining it to the previous bytes of its word, so a
 * byte from 0x80 up erases those bytes. A correct bcrypt of the returned key equals the buggy bcrypt of
 * `password`.
 */
export function buggyBcryptKey(password: Uint8Array): Buffer {
  const source = Buffer.concat([password, Buffer.of(0)]);
  const key = Buffer.alloc(KEY_WORDS * 4);
  for (let word = 0; word < KEY_WORDS; word += 1) {
    let value = 0;
    for (let byte = 0; byte < 4; byte += 1) {
      value = (value << 8) | source.readInt8((word * 4 + byte) % source.length);
    }
    key.writeInt32BE(value, word * 4);
  }
  return key;
}
