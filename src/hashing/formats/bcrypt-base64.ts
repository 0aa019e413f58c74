/** bcrypt's own base64: the bits of the standard one, written with other characters, without padding. */
export const BCRYPT_ALPHABET = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const STANDARD_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export function bcryptBase64(bytes: Buffer): string {
  const digits = bytes.toString('base64').replaceAll('=', '');
  return [...digits].map((digit) => BCRYPT_ALPHABET.charAt(STANDARD_ALPHABET.indexOf(digit))).join('');
}
