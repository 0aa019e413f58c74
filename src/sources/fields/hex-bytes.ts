const OTHER = /[^0-9a-fA-F]/;

/** The bytes of hexadecimal digits in any case; undefined for anything else, and for nothing. */
export function hexBytes(digits: string): Buffer | undefined {
  // `Buffer` passes over a digit too many, and takes some letters far from ASCII for digits.
  if (digits === '' || digits.length % 2 !== 0 || OTHER.test(digits)) return undefined;
  return Buffer.from(digits, 'hex');
}
