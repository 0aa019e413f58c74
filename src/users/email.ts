import { AppError } from '../lib/errors.ts';
import { hasForeignCapital, lowerCase } from '../lib/text/lower-case.ts';
import { isPostgresText } from '../lib/text/postgres-text.ts';
import { stripControlAndSpace } from '../lib/text/strip-control-and-space.ts';

const MAX_ADDRESS_CHARACTERS = 256;

/**
 * Returns the form in which an e-mail address is stored and compared: in lower case, without characters up to
 * U+0020 at both ends. Java's `String.trim`, which SuperTokens core uses, strips the same characters;
 * JavaScript's strips more.
 * - Returns undefined if the text cannot be an address: nothing on one side of the `@`, more than 256
 *   characters, or text that PostgreSQL cannot store (NUL, half a surrogate pair).
 * - Returns undefined if lower case would turn the address into another one: with the Kelvin sign, anybody
 *   could import or sign up as `kate@…`.
 */
export function normalizeEmail(raw: string): string | undefined {
  return hasForeignCapital(raw) ? undefined : emailToFind(raw);
}

/**
 * Returns the form in which an e-mail address is looked up. Returns undefined for an address that cannot be
 * stored, because no user has it.
 */
function emailToFind(raw: string): string | undefined {
  const email = emailPrefixToFind(raw);
  const at = email.indexOf('@', 1);
  if (at < 1 || at === email.length - 1) return undefined;
  if (!isPostgresText(email)) return undefined;
  return email.length > MAX_ADDRESS_CHARACTERS && [...email].length > MAX_ADDRESS_CHARACTERS
    ? undefined
    : email;
}

/** Returns the beginning of an e-mail address in the form in which addresses are looked up. */
export const emailPrefixToFind = (raw: string) => lowerCase(stripControlAndSpace(raw));

/**
 * Returns the normalised e-mail address of a request. @throws {AppError} FIELD_INVALID if it cannot be an
 * address
 */
export function requireEmail(raw: string): string {
  return normalizeEmail(raw) ?? refuseEmail();
}

/**
 * Returns the normalised e-mail address for a sign-in. An address that lower case would turn into another one
 * is not refused, but belongs to no user.
 * @throws {AppError} FIELD_INVALID if it cannot be an address
 */
export function requireEmailToFind(raw: string): string {
  return emailToFind(raw) ?? refuseEmail();
}

function refuseEmail(): never {
  throw new AppError(
    'FIELD_INVALID',
    "Field name 'email' is invalid in JSON input: expected an address with an @, at most 256 characters",
  );
}
