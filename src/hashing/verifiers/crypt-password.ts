import type { PasswordReading } from '../kdf/password-reading.ts';

/**
 * Maximum length of a password for libxcrypt, in bytes: CRYPT_MAX_PASSPHRASE_SIZE is 512 with the NUL. For a
 * longer password it returns no hash.
 */
export const MAX_PASSWORD_BYTES = 511;

/**
 * Returns the password up to its first NUL, as C strings end there. Undefined if that is longer than
 * MAX_PASSWORD_BYTES, so that no hash matches it.
 */
function cString(password: Buffer): Buffer | undefined {
  const end = password.indexOf(0);
  return wholePassword(end === -1 ? password : password.subarray(0, end));
}

/**
 * Returns the password for programs that know its length. A NUL is then an ordinary byte. Undefined if it is too long
 * to match.
 */
function wholePassword(password: Buffer): Buffer | undefined {
  return password.length > MAX_PASSWORD_BYTES ? undefined : password;
}

/**
 * How hashes read a password if they digest it up to its first NUL, as crypt(3) does. `a` and `a␀b` are
 * therefore the same password.
 */
export const C_STRING: PasswordReading = { of: cString, isOnly: (password) => !password.includes(0) };

/**
 * How hashes read a password if they digest all of it, even after a NUL. As in crypt(3), its length is
 * limited.
 */
export const WHOLE_PASSWORD: PasswordReading = { of: wholePassword, isOnly: () => true };
