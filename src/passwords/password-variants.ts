import type { MistakeCode } from '../hashing/diagnose/mistakes.ts';
import { addSlashes } from '../hashing/kdf/password-text.ts';
import { normalForm } from '../lib/text/normal-form.ts';

/** The characters of windows-1252 from 0x80 to 0x9F, where Latin-1 has control characters. */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

export interface PasswordVariant {
  mistake: MistakeCode;
  password: Buffer;
}

/** People do not type longer passwords, and normalising them would block the event loop for milliseconds. */
const MAX_CHARACTERS = 1024;

/**
 * Returns other byte sequences that a system may have hashed for this password, the most likely first. They
 * are distinct, and never the plain UTF-8 of the password.
 */
export function passwordVariants(password: string): PasswordVariant[] {
  if (password.length > MAX_CHARACTERS) return [];
  const normal = (form: 'NFC' | 'NFD' | 'NFKC') => normalForm(password, form) ?? password;
  const latin1 = latin1Bytes(normal('NFC'));
  const text = (mistake: MistakeCode, variant: string): PasswordVariant => ({
    mistake,
    password: Buffer.from(variant, 'utf8'),
  });
  const variants = [
    ...(latin1 === undefined ? [] : [{ mistake: 'PASSWORD_IN_LATIN1' as const, password: latin1 }]),
    text('PASSWORD_NORMALIZED', normal('NFC')),
    text('PASSWORD_NORMALIZED', normal('NFD')),
    text('PASSWORD_NORMALIZED', normal('NFKC')),
    text('PASSWORD_WHITESPACE', `${password}\n`),
    text('PASSWORD_WHITESPACE', password.trim()),
    text('PASSWORD_HTML_ESCAPED', escapeHtml(password)),
    { mistake: 'PASSWORD_SLASHED' as const, password: addSlashes(Buffer.from(password, 'utf8')) },
    text('PASSWORD_LOWER_CASED', password.toLowerCase()),
  ];
  const tried = new Set([Buffer.from(password, 'utf8').toString('latin1')]);
  return variants.filter((variant) => {
    const bytes = variant.password.toString('latin1');
    return !tried.has(bytes) && tried.add(bytes);
  });
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#039;',
};

/** Escapes like PHP's `htmlspecialchars` with its default flags. */
const escapeHtml = (text: string) =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

/** Encodes in Latin-1, and in windows-1252 what Latin-1 lacks. Undefined if a character is in neither. */
function latin1Bytes(text: string): Buffer | undefined {
  const bytes = [...text].map((character) => {
    const high = WINDOWS_1252.indexOf(character);
    return high === -1 ? (character.codePointAt(0) ?? 0) : 0x80 + high;
  });
  return bytes.some((byte) => byte > 0xff) ? undefined : Buffer.from(bytes);
}
