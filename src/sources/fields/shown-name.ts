import { oncePerName } from './column-names.ts';
import { looksLikeHash } from './looks-like-hash.ts';
import { looksLikeSecret } from './looks-like-secret.ts';

/** The longest name that databases allow (PostgreSQL 63, MySQL 64, SQL Server 128). */
const MAX_CHARACTERS = 128;
/** A "name" of a column that is data of users: an address, several lines, or a piece of JSON or SQL. */
const DATA = /@[^@]*\.|["'{}\\\r\n]/;
/** More consecutive letters and digits than any column name has. */
const LONG_WORD = /[A-Za-z0-9+/=.$]{40}/;

/** Text in place of a name that is data of users. */
const HIDDEN = '••';

/**
 * Returns dots for a name that is data of users, as in files without a header and in objects whose keys are
 * addresses.
 */
export const shownName = (name: string): string => (looksLikeData(name) ? HIDDEN : name);

const looksLikeData = (name: string) =>
  name.length > MAX_CHARACTERS ||
  DATA.test(name) ||
  LONG_WORD.test(name) ||
  looksLikeHash(name.trim()) ||
  looksLikeSecret(name);

/** Characters of a cell that a message shows: enough for words for states and names of tenants. */
export const MAX_CELL = 40;

/** Returns dots instead of an address, a secret, or a text that is too long to be one word. */
export const shownCell = (text: string): string => (text.length > MAX_CELL ? HIDDEN : shownName(text));

/** Issuer URLs of sign-in providers may be this long. */
const MAX_PROVIDER = 256;
const ISSUER = /^(?:https?:\/\/|urn:)[^\s@]+$/i;

/** Treats names like `shownCell`, but shows issuer URLs in full, because the operator has to repeat them. */
export const shownProvider = oncePerName((provider) =>
  ISSUER.test(provider) && provider.length <= MAX_PROVIDER && !looksLikeSecret(provider)
    ? provider
    : shownCell(provider),
);
