import { normalForm } from '../../lib/text/normal-form.ts';

/** Keeps a byte order mark, because the mark is part of the password. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function textOf(password: Buffer): string | undefined {
  try {
    return UTF8.decode(password);
  } catch {
    return undefined;
  }
}

/** Returns undefined if the password is not UTF-8, or too long to be normalised. */
export function normalised(password: Buffer, form: 'NFC' | 'NFKC' | 'NFKD'): Buffer | undefined {
  const text = textOf(password);
  const normal = text === undefined ? undefined : normalForm(text, form);
  return normal === undefined ? undefined : Buffer.from(normal, 'utf8');
}

/** Bytes that PHP's `trim` strips from a password. JavaScript's `trim` strips more, such as U+00A0. */
const PHP_BLANKS = new Set([0x20, 0x0a, 0x0d, 0x09, 0x0b, 0x00]);

export function phpTrim(password: Buffer): Buffer {
  const isBlank = (index: number) => PHP_BLANKS.has(password[index] ?? -1);
  let [start, end] = [0, password.length];
  while (start < end && isBlank(start)) start += 1;
  while (end > start && isBlank(end - 1)) end -= 1;
  return password.subarray(start, end);
}

const [NUL, DIGIT_ZERO, BACKSLASH] = [0x00, 0x30, 0x5c];

export const SLASHED_BYTES = Buffer.from('\0"\'\\');

/** Searches each byte with native code, because passwords may be long. */
export const includesAny = (password: Buffer, bytes: Buffer): boolean =>
  bytes.some((byte) => password.includes(byte));

/** Returns the password as PHP's `addslashes` changes it. A NUL becomes `\0`. */
export const addSlashes = (password: Buffer): Buffer =>
  Buffer.from(
    password
      .toString('latin1')
      .replace(/["'\\]/g, '\\$&')
      .replaceAll('\0', '\\0'),
    'latin1',
  );

/** Reverses PHP's `addslashes`. Also removes backslashes that `addslashes` would not have written. */
export function stripSlashes(password: Buffer): Buffer {
  const stripped: number[] = [];
  for (let at = 0; at < password.length; at += 1) {
    const isEscape = password[at] === BACKSLASH && at + 1 < password.length;
    if (isEscape) at += 1;
    const byte = password[at] ?? NUL;
    stripped.push(isEscape && byte === DIGIT_ZERO ? NUL : byte);
  }
  return Buffer.from(stripped);
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' };
export const ESCAPED_BYTES = Buffer.from(Object.keys(ENTITIES).join(''));
const CHARACTERS = new Map(Object.entries(ENTITIES).map(([character, entity]) => [entity, character]));

/** PHP's `htmlspecialchars` with ENT_COMPAT, which keeps single quotes. Latin-1 keeps every byte. */
export const escapeHtml = (password: Buffer): Buffer =>
  replaced(password, /[&"<>]/g, (one) => ENTITIES[one] ?? one);

export const unescapeHtml = (password: Buffer): Buffer =>
  replaced(password, /&(?:amp|quot|lt|gt);/g, (one) => CHARACTERS.get(one) ?? one);

const replaced = (password: Buffer, pattern: RegExp, by: (one: string) => string): Buffer =>
  Buffer.from(password.toString('latin1').replace(pattern, by), 'latin1');
