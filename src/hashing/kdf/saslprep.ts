import { normalForm } from '../../lib/text/characters.ts';
import type { PasswordReading } from './password-reading.ts';
import { textOf } from './password-text.ts';

/** SASLprep's tables of characters (RFC 3454): C.1.2 has spaces, and B.1 has characters that are removed. */
const SPACES = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/gu;
const NOTHING = /\u034f|[\u180b-\u180d]|[\ufe00-\ufe0f]|[\u00ad\u1806\u200b-\u200d\u2060\ufeff]/gu;
/** Characters that SASLprep prohibits (RFC 3454, tables C.2 to C.9, in short). */
const PROHIBITED =
  /[\p{Cc}\p{Co}\p{Noncharacter_Code_Point}\u06dd\u070f\u180e\u200e\u200f\u2028-\u202e\u2061-\u2063\u206a-\u206f\u2ff0-\u2ffb\ufff9-\ufffd\u{1d173}-\u{1d17a}\u{e0001}\u{e0020}-\u{e007f}]/u;

/**
 * Prepares a password with SASLprep (RFC 4013). A password that SASLprep refuses, or that is too long to be
 * normalised, is returned unchanged, as PostgreSQL does with refused passwords. Two rules are omitted:
 * characters must be assigned in Unicode 3.2, and the rules for right-to-left text. Both only refuse text,
 * and NFKC hardly ever changes such text.
 */
export function saslprep(password: Buffer): Buffer {
  const text = textOf(password);
  if (text === undefined) return password;
  const prepared = normalForm(text.replace(NOTHING, '').replace(SPACES, ' '), 'NFKC') ?? '';
  return prepared === '' || PROHIBITED.test(prepared) ? password : Buffer.from(prepared, 'utf8');
}

/** Every password has other forms with the same result, for example with full-width letters. */
export const SASLPREP: PasswordReading = { of: saslprep, isOnly: () => false };
