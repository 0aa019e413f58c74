/**
 * `bare`: standard alphabet, no padding (PHC strings). `lenient`: standard or URL-safe, not both in one value, padded or
 * not (exports in the wild have all four).
 */
export type Base64Style = 'bare' | 'lenient';

const SHAPES = {
  bare: /^([A-Za-z0-9+/]*)()$/,
  lenient: /^([A-Za-z0-9+/]*|[A-Za-z0-9_-]*)(={0,2})$/,
} as const;

/**
 * Strict decoder: two texts never stand for the same bytes in one style of writing, and nothing is skipped.
 * `Buffer.from(text, 'base64')` alone takes anything and drops what it does not understand.
 * Answers what is wrong with the text, which finishes a sentence and holds none of it, where it is not base64.
 */
export function decodeBase64(text: string, style: Base64Style): Buffer | { problem: string } {
  const match = SHAPES[style].exec(text);
  if (match === null) {
    return { problem: style === 'bare' ? 'is not unpadded standard base64' : 'is not base64' };
  }
  const [, digits = '', padding = ''] = match;
  if (padding !== '' && (digits.length + padding.length) % 4 !== 0)
    return { problem: 'has wrong base64 padding' };
  const bytes = Buffer.from(digits, 'base64');
  // Spare bits that are set, and a single leftover digit, decode but do not come back.
  if (bytes.toString('base64url') !== digits.replaceAll('+', '-').replaceAll('/', '_')) {
    return { problem: 'is not canonical base64: cut off, or its unused bits are set' };
  }
  return bytes;
}
