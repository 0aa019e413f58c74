import { addSlashes, escapeHtmlAndQuotes } from '../hashing/kdf/password-reading.ts';
import type { MistakeCode } from '../hashing/mistakes.ts';
import { normalForm } from '../lib/text/characters.ts';

/** The characters of windows-1252 from 0x80 to 0x9F, where Latin-1 has control characters. */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

export interface PasswordVariant {
  mistake: MistakeCode;
  password: Buffer;
}

/**
 * Maximum length of a password of which variants are made. People do not type longer passwords, and normalising them
 * would block the event loop for milliseconds.
 */
const MAX_CHARACTERS = 1024;

/**
 * Returns other byte sequences that a system may have hashed for this password, the most likely first. They
 * are distinct, and never the plain UTF-8 of the password.
 */
export function passwordVariants(password: string): PasswordVariant[] {
  if (password.length > MAX_CHARACTERS) return [];
  const normal = (form: 'NFC' | 'NFD' | 'NFKC') => normalForm(password, form) ?? password;
  const bytes = Buffer.from(password, 'utf8');
  const variants: [MistakeCode, Buffer | string | undefined][] = [
    ['PASSWORD_IN_LATIN1', latin1Bytes(normal('NFC'))],
    ['PASSWORD_NORMALIZED', normal('NFC')],
    ['PASSWORD_NORMALIZED', normal('NFD')],
    ['PASSWORD_NORMALIZED', normal('NFKC')],
    ['PASSWORD_WHITESPACE', `${password}\n`],
    ['PASSWORD_WHITESPACE', password.trim()],
    ['PASSWORD_HTML_ESCAPED', escapeHtmlAndQuotes(bytes)],
    ['PASSWORD_SLASHED', addSlashes(bytes)],
    ['PASSWORD_LOWER_CASED', password.toLowerCase()],
  ];
  const tried = new Set([bytes.toString('latin1')]);
  return variants.flatMap(([mistake, variant = bytes]) => {
    const other = typeof variant === 'string' ? Buffer.from(variant, 'utf8') : variant;
    const key = other.toString('latin1');
    if (tried.has(key)) return [];
    tried.add(key);
    return [{ mistake, password: other }];
  });
}

/** Encodes in Latin-1, and in windows-1252 what Latin-1 lacks. Undefined if a character is in neither. */
function latin1Bytes(text: string): Buffer | undefined {
  const bytes = [...text].map((character) => {
    const high = WINDOWS_1252.indexOf(character);
    return high === -1 ? (character.codePointAt(0) ?? 0) : 0x80 + high;
  });
  return bytes.some((byte) => byte > 0xff) ? undefined : Buffer.from(bytes);
}
