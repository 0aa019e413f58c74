/** As many bytes as libxcrypt reads: CRYPT_MAX_PASSPHRASE_SIZE is 512, with the NUL. Its answer to a longer password is no hash. */
export const MAX_PASSWORD_BYTES = 511;

/** The password that crypt(3) reads: a C string, which ends at the first NUL. Undefined: it is too long, so it matches nothing. */
export function cString(password: Buffer): Buffer | undefined {
  const end = password.indexOf(0);
  return wholePassword(end === -1 ? password : password.subarray(0, end));
}

/** The password for programs that know its length: a NUL is a byte like all others. */
export function wholePassword(password: Buffer): Buffer | undefined {
  return password.length > MAX_PASSWORD_BYTES ? undefined : password;
}

/** `a` and `a␀b` are one password to crypt(3). */
export const readsExactlyTo = (read: typeof cString) => (_parsed: unknown, password: Buffer) =>
  read !== cString || !password.includes(0);
