import { AppError } from '../lib/errors.ts';
import { isPostgresText } from '../lib/text/postgres-text.ts';

const MAX_ADDRESS_CHARACTERS = 256;

/**
 * Returns the form in which an address is kept and compared: lower case, stripped of characters up to U+0020 at both ends
 * (as by Java's `String.trim`, which SuperTokens core uses; JavaScript's strips more).
 * `undefined` when it cannot be an address: nothing on one side of the `@`, above 256 characters, or
 * text that Postgres cannot hold (NUL, half a surrogate pair).
 */
export function normalizeEmail(raw: string): string | undefined {
  const email = stripControlAndSpace(raw).toLowerCase();
  const at = email.indexOf('@', 1);
  if (at < 1 || at === email.length - 1) return undefined;
  if (!isPostgresText(email)) return undefined;
  return email.length > MAX_ADDRESS_CHARACTERS && [...email].length > MAX_ADDRESS_CHARACTERS
    ? undefined
    : email;
}

/** Strips characters up to U+0020, and no others, at both ends. */
export function stripControlAndSpace(raw: string): string {
  let start = 0;
  let end = raw.length;
  while (start < end && raw.charCodeAt(start) <= 0x20) start += 1;
  while (end > start && raw.charCodeAt(end - 1) <= 0x20) end -= 1;
  return raw.slice(start, end);
}

/** Returns the normalised address of a request. @throws {AppError} FIELD_INVALID when it cannot be an address. */
export function requireEmail(raw: string): string {
  const email = normalizeEmail(raw);
  if (email === undefined) {
    throw new AppError(
      'FIELD_INVALID',
      "Field name 'email' is invalid in JSON input: expected an address with an @, at most 256 characters",
    );
  }
  return email;
}
