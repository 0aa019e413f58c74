import type { PasswordReading } from '../kdf/password-reading.ts';

/** libxcrypt's CRYPT_MAX_PASSPHRASE_SIZE is 512 with the NUL. A longer password gets no hash. */
export const MAX_PASSWORD_BYTES = 511;

function cString(password: Buffer): Buffer | undefined {
  const end = password.indexOf(0);
  return wholePassword(end === -1 ? password : password.subarray(0, end));
}

function wholePassword(password: Buffer): Buffer | undefined {
  return password.length > MAX_PASSWORD_BYTES ? undefined : password;
}

/** Reads a password up to its first NUL, as crypt(3) does: `a` and `a␀b` are the same password. */
export const C_STRING: PasswordReading = { of: cString, isOnly: (password) => !password.includes(0) };

/** Reads a whole password, even after a NUL. As in crypt(3), its length is limited. */
export const WHOLE_PASSWORD: PasswordReading = { of: wholePassword, isOnly: () => true };
