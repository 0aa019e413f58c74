import { isUtf8 } from 'node:buffer';
import { normalForm } from '../../lib/text/characters.ts';

/** Returns undefined if the password is not UTF-8. Keeps a byte order mark, because it is part of the password. */
export const textOf = (password: Buffer): string | undefined =>
  isUtf8(password) ? password.toString('utf8') : undefined;

/** Returns undefined if the password is not UTF-8, or too long to be normalised. */
export function normalised(password: Buffer, form: 'NFC' | 'NFKC' | 'NFKD'): Buffer | undefined {
  const text = textOf(password);
  const normal = text === undefined ? undefined : normalForm(text, form);
  return normal === undefined ? undefined : Buffer.from(normal, 'utf8');
}

/** Bytes that PHP's `trim` strips from a password. JavaScript's `trim` strips more, such as U+00A0. */
const PHP_BLANKS = new Set(Buffer.from(' \n\r\t\v\0'));

export function phpTrim(password: Buffer): Buffer {
  const isKept = (byte: number) => !PHP_BLANKS.has(byte);
  return password.subarray(Math.max(0, password.findIndex(isKept)), password.findLastIndex(isKept) + 1);
}

/** Searches each byte with native code, because passwords may be long. */
export const includesAny = (password: Buffer, bytes: Buffer): boolean =>
  bytes.some((byte) => password.includes(byte));

/** Latin-1 keeps every byte. */
const replaced = (password: Buffer, pattern: RegExp, by: (match: string) => string): Buffer =>
  Buffer.from(password.toString('latin1').replace(pattern, by), 'latin1');

export const SLASHED_BYTES = Buffer.from('\0"\'\\');

/** Returns the password as PHP's `addslashes` changes it. A NUL becomes `\0`. */
export const addSlashes = (password: Buffer): Buffer =>
  replaced(password, /[\0"'\\]/g, (one) => (one === '\0' ? '\\0' : `\\${one}`));

/** Reverses PHP's `addslashes`. Also removes backslashes that `addslashes` would not have written. */
export const stripSlashes = (password: Buffer): Buffer =>
  replaced(password, /\\./gs, (pair) => (pair === '\\0' ? '\0' : pair.charAt(1)));

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' };
const CHARACTERS = new Map(Object.entries(ENTITIES).map(([character, entity]) => [entity, character]));
export const ESCAPED_BYTES = Buffer.from(Object.keys(ENTITIES).join(''));

const escapedAs = (entities: Readonly<Record<string, string>>) => (password: Buffer) =>
  replaced(password, /\W/g, (one) => entities[one] ?? one);

/** PHP's `htmlspecialchars` with ENT_COMPAT, which keeps single quotes. */
export const escapeHtml = escapedAs(ENTITIES);

/** PHP's `htmlspecialchars` with its default flags since PHP 8.1. */
export const escapeHtmlAndQuotes = escapedAs({ ...ENTITIES, "'": '&#039;' });

/** Escapes a password as IP.Board escaped all its input. */
export const escapeIpb = escapedAs({ ...ENTITIES, '\\': '&#092;', '!': '&#33;', $: '&#036;', "'": '&#39;' });

export const unescapeHtml = (password: Buffer): Buffer =>
  replaced(password, /&(?:amp|quot|lt|gt);/g, (entity) => CHARACTERS.get(entity) ?? entity);

/** Characters of code page 437 (DOS) from 0x80 to 0xff. */
const UPPER_HALF =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

const BYTES = new Map([...UPPER_HALF].map((character, index) => [character, 0x80 + index]));

/** Returns undefined if code page 437 lacks a character. */
export function toCodePage437(text: string): Buffer | undefined {
  const bytes = [...text].map((character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x80 ? code : BYTES.get(character);
  });
  return bytes.some((byte) => byte === undefined) ? undefined : Buffer.from(bytes as number[]);
}

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
