/**
 * Accepted spellings of base64. `bare`: standard alphabet without padding (PHC strings). `lenient`: standard
 * or URL-safe alphabet, but not both in one value, padded or not, because exports have all four.
 */
export type Base64Style = 'bare' | 'lenient';

const STANDARD = /^[A-Za-z0-9+/]*$/;
const URL_SAFE = /^[A-Za-z0-9_-]*$/;
/**
 * Digits whose unused bits are 0, by the number of digits after the last whole group: none for a single digit, which is
 * too few for a byte.
 */
const LAST_DIGITS: readonly string[] = ['', '', 'AQgw', 'AEIMQUYcgkosw048'];

/**
 * Returns the number of encoded bytes. The check is strict: no character is skipped, and texts with the same alphabet
 * and padding never encode the same bytes. A `problem` ends a sentence and contains nothing of the text.
 */
export function checkBase64(text: string, style: Base64Style): number | { problem: string } {
  const padding = style === 'lenient' ? paddingOf(text) : 0;
  const digits = padding === 0 ? text : text.slice(0, -padding);
  if (!STANDARD.test(digits) && (style === 'bare' || !URL_SAFE.test(digits))) {
    return { problem: style === 'bare' ? 'is not unpadded standard base64' : 'is not base64' };
  }
  if (padding > 0 && text.length % 4 !== 0) return { problem: 'has wrong base64 padding' };
  const rest = digits.length % 4;
  if (rest > 0 && !LAST_DIGITS[rest]?.includes(digits.at(-1) ?? ''))
    return { problem: 'is not canonical base64: cut off, or its unused bits are set' };
  return Math.floor((digits.length * 3) / 4);
}

/**
 * Decodes base64 after a strict check. `Buffer.from(text, 'base64')` alone would accept any text and skip invalid
 * characters.
 */
export function decodeBase64(text: string, style: Base64Style): Buffer | { problem: string } {
  const length = checkBase64(text, style);
  return typeof length === 'number' ? Buffer.from(text, 'base64') : length;
}

function paddingOf(text: string): number {
  if (!text.endsWith('=')) return 0;
  return text.endsWith('==') ? 2 : 1;
}
