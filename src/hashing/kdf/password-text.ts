import { normalForm } from '../../lib/text/normal-form.ts';

/** A byte order mark is part of the password. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the text that the bytes of a password stand for; undefined where they are not UTF-8. */
export function textOf(password: Buffer): string | undefined {
  try {
    return UTF8.decode(password);
  } catch {
    return undefined;
  }
}

/** Returns the UTF-8 of a password in a normal form of Unicode; undefined where its bytes are not UTF-8, or where it is too long for that. */
export function normalised(password: Buffer, form: 'NFC' | 'NFKC' | 'NFKD'): Buffer | undefined {
  const text = textOf(password);
  const normal = text === undefined ? undefined : normalForm(text, form);
  return normal === undefined ? undefined : Buffer.from(normal, 'utf8');
}

/** What PHP's `trim` strips. JavaScript's strips more, U+00A0 among others. */
const PHP_BLANKS = new Set([0x20, 0x0a, 0x0d, 0x09, 0x0b, 0x00]);

/** Returns the password as PHP's `trim` leaves it. */
export function phpTrim(password: Buffer): Buffer {
  const isBlank = (index: number) => PHP_BLANKS.has(password[index] ?? -1);
  let [start, end] = [0, password.length];
  while (start < end && isBlank(start)) start += 1;
  while (end > start && isBlank(end - 1)) end -= 1;
  return password.subarray(start, end);
}

const [NUL, DOUBLE_QUOTE, SINGLE_QUOTE, DIGIT_ZERO, BACKSLASH] = [0x00, 0x22, 0x27, 0x30, 0x5c];

/** Returns whether PHP's `addslashes` puts a backslash in front of this byte. */
export const isSlashed = (byte: number) =>
  byte === SINGLE_QUOTE || byte === DOUBLE_QUOTE || byte === BACKSLASH || byte === NUL;

/** Returns the password as PHP's `addslashes` writes it. A NUL becomes `\0`. */
export const addSlashes = (password: Buffer): Buffer =>
  Buffer.from(
    [...password].flatMap((byte) =>
      isSlashed(byte) ? [BACKSLASH, byte === NUL ? DIGIT_ZERO : byte] : [byte],
    ),
  );

/** Returns the password without the backslashes of `addslashes`. A backslash that it would not write so goes, too. */
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
