import type { PasswordReading } from '../kdf/password-reading.ts';

/** As many bytes as libxcrypt reads: CRYPT_MAX_PASSPHRASE_SIZE is 512, with the NUL. Its answer to a longer password is no hash. */
export const MAX_PASSWORD_BYTES = 511;

/** The password that crypt(3) reads: a C string, which ends at the first NUL. Undefined: it is too long, so it matches nothing. */
function cString(password: Buffer): Buffer | undefined {
  const end = password.indexOf(0);
  return wholePassword(end === -1 ? password : password.subarray(0, end));
}

/** The password for programs that know its length: a NUL is a byte like all others. */
function wholePassword(password: Buffer): Buffer | undefined {
  return password.length > MAX_PASSWORD_BYTES ? undefined : password;
}

/** What crypt(3) reads: `a` and `a␀b` are one password to it. */
export const C_STRING: PasswordReading = { of: cString, isOnly: (password) => !password.includes(0) };

/** What programs read that bound the length as crypt(3) does, and nothing else. */
export const WHOLE_PASSWORD: PasswordReading = { of: wholePassword, isOnly: () => true };
