import { AppError } from '../lib/errors.ts';
import {
  hasForeignCapital,
  isPostgresText,
  lowerCase,
  stripControlAndSpace,
} from '../lib/text/characters.ts';

const MAX_ADDRESS_CHARACTERS = 256;

/**
 * Returns the address in lower case, without characters up to U+0020 at both ends. Java's `String.trim`,
 * which SuperTokens core uses, strips the same characters; JavaScript's strips more. Returns undefined
 * - if the text cannot be an address: nothing on one side of the `@`, more than 256 characters, or text that
 *   PostgreSQL cannot store (NUL, half a surrogate pair);
 * - if lower case would turn the address into another one: with the Kelvin sign, anybody could import or sign
 *   up as `kate@…`.
 */
export function normalizeEmail(raw: string): string | undefined {
  return hasForeignCapital(raw) ? undefined : emailToFind(raw);
}

function emailToFind(raw: string): string | undefined {
  const email = emailPrefixToFind(raw);
  const at = email.indexOf('@', 1);
  if (at < 1 || at === email.length - 1) return undefined;
  if (!isPostgresText(email)) return undefined;
  return email.length > MAX_ADDRESS_CHARACTERS && [...email].length > MAX_ADDRESS_CHARACTERS
    ? undefined
    : email;
}

/** Returns the beginning of an address in the form in which addresses are stored. */
export const emailPrefixToFind = (raw: string) => lowerCase(stripControlAndSpace(raw));

/** @throws {AppError} FIELD_INVALID if the text cannot be an address */
export function requireEmail(raw: string): string {
  return normalizeEmail(raw) ?? refuseEmail();
}

/**
 * Returns the address to search for. Unlike `requireEmail`, accepts letters such as the Kelvin sign (lower
 * case: `k`); no user has such an address.
 * @throws {AppError} FIELD_INVALID if the text cannot be an address
 */
export function requireEmailToFind(raw: string): string {
  return emailToFind(raw) ?? refuseEmail();
}

/**
 * Characters whose lower case in Java, which the SuperTokens core uses, may differ from that in JavaScript: the
 * capital sigma, whose lower case depends on words, code points that only a later version of Unicode knows, and
 * capitals that Java 21 does not know.
 */
const UNCERTAIN =
  /[\u03a3\p{Cn}\u1c89\ua7cb\ua7cc\ua7ce\ua7d2\ua7d4\ua7da\ua7dc\u{10d50}-\u{10d65}\u{16ea0}-\u{16eb8}]/u;

/**
 * Returns an address as the SuperTokens core compares it, so that `\u212Aate@x.org` (Kelvin sign) is `kate@x.org`.
 * Returns undefined if no user of this service can have the address.
 * @throws {AppError} FIELD_INVALID if the core may understand it as another address
 */
export function emailAtCore(raw: string): string | undefined {
  if (UNCERTAIN.test(raw) || !isPostgresText(raw)) refuseEmail();
  return normalizeEmail(stripControlAndSpace(raw).toLowerCase());
}

/**
 * Checks that the core and this service do not change the address into another one.
 * @throws {AppError} FIELD_INVALID if lower case would turn the address into another one, here or in the core
 */
export function requireSameAtCore(raw: string): void {
  if (hasForeignCapital(raw) || UNCERTAIN.test(raw) || !isPostgresText(raw)) refuseEmail();
}

function refuseEmail(): never {
  throw new AppError(
    'FIELD_INVALID',
    "Field name 'email' is invalid in JSON input: expected an address with an @, at most 256 characters",
  );
}
