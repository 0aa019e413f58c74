import { isUtf8 } from 'node:buffer';
import { HashRefused } from '../verifier.ts';

export type PasswordEncoding = 'utf8' | 'utf16le';

/** Bytes in UTF-8 as UTF-16, lowest byte first, without a byte order mark. Undefined: they are not UTF-8. */
export function utf16le(bytes: Buffer): Buffer | undefined {
  return isUtf8(bytes) ? Buffer.from(bytes.toString('utf8'), 'utf16le') : undefined;
}

/** What becomes of a password's bytes; undefined where they have no such form. */
export const PASSWORD_ENCODINGS: Record<PasswordEncoding, (bytes: Buffer) => Buffer | undefined> = {
  utf8: (bytes) => bytes,
  utf16le,
};

/** Returns the value as one of the keys. @throws {HashRefused} `format` */
export function oneOf<Key extends string>(field: string, value: string, known: Record<Key, unknown>): Key {
  if (Object.hasOwn(known, value)) return value as Key;
  throw new HashRefused('format', `${field} is none of ${Object.keys(known).join(', ')}`);
}
