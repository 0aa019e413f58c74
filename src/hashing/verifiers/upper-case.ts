import { isUtf8 } from 'node:buffer';

/** The password in upper case, as families have it that do not tell cases apart. Undefined: it is not UTF-8. */
export function upperCase(password: Buffer): string | undefined {
  return isUtf8(password) ? password.toString('utf8').toUpperCase() : undefined;
}

/** Is there no other case of it that would match as well? */
export function hasNoCase(password: Buffer): boolean {
  const text = password.toString('utf8');
  return text.toUpperCase() === text.toLowerCase();
}
