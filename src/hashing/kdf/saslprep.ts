import { normalForm } from '../../lib/text/normal-form.ts';
import type { PasswordReading } from './password-reading.ts';
import { textOf } from './password-text.ts';

/** RFC 3454, tables C.1.2 (spaces) and B.1 (mapped to nothing). */
const SPACES = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/gu;
const NOTHING = /\u034f|[\u180b-\u180d]|[\ufe00-\ufe0f]|[\u00ad\u1806\u200b-\u200d\u2060\ufeff]/gu;
/** Tables C.2 to C.9, in short: control, private use, no characters at all, and such as only change how others look. */
const PROHIBITED =
  /[\p{Cc}\p{Co}\p{Noncharacter_Code_Point}\u06dd\u070f\u180e\u200e\u200f\u2028-\u202e\u2061-\u2063\u206a-\u206f\u2ff0-\u2ffb\ufff9-\ufffd\u{1d173}-\u{1d17a}\u{e0001}\u{e0020}-\u{e007f}]/u;

/**
 * A password as SASLprep (RFC 4013) prepares it. What it refuses is left as it is, as PostgreSQL does, and what is too long to be normalised. Two of its rules are left out:
 * that all characters must be those of Unicode 3.2, and those for text from right to left. They refuse, and NFKC hardly ever changes such text.
 */
export function saslprep(password: Buffer): Buffer {
  const text = textOf(password);
  if (text === undefined) return password;
  const prepared = normalForm(text.replace(NOTHING, '').replace(SPACES, ' '), 'NFKC') ?? '';
  return prepared === '' || PROHIBITED.test(prepared) ? password : Buffer.from(prepared, 'utf8');
}

/** Whatever a password is, another one in full-width characters, or with a soft hyphen in it, is prepared as it is. */
export const SASLPREP: PasswordReading = { of: saslprep, isOnly: () => false };
