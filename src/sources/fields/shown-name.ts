import { oncePerName } from './column-names.ts';
import { looksLikeHash } from './looks-like-hash.ts';
import { looksLikeSecret } from './looks-like-secret.ts';

/**
 * Maximum length of a column or table name that messages show: the longest that databases allow (PostgreSQL
 * 63, MySQL 64, SQL Server 128).
 */
const MAX_CHARACTERS = 128;
/** Matches a "name" of a column that is data of users: an address, several lines, or a piece of JSON or SQL. */
const DATA = /@[^@]*\.|["'{}\\\r\n]/;
/** Matches more consecutive letters and digits than any column name has. */
const LONG_WORD = /[A-Za-z0-9+/=.$]{40}/;

/** Text that messages show in place of a column or table name that is data of users. */
const HIDDEN = '••';

/**
 * Returns the name of a table or column for a message, or dots if the name is data of users. Files without a
 * header, and objects whose keys are addresses, have data in place of names.
 */
export const shownName = (name: string): string => (looksLikeData(name) ? HIDDEN : name);

const looksLikeData = (name: string) =>
  name.length > MAX_CHARACTERS ||
  DATA.test(name) ||
  LONG_WORD.test(name) ||
  looksLikeHash(name.trim()) ||
  looksLikeSecret(name);

/**
 * Maximum number of characters of a cell that a message shows: enough for words for states and names of
 * tenants.
 */
export const MAX_CELL = 40;

/**
 * Returns the text of a cell for a message. Returns dots instead of an address, a secret, or a text that is
 * too long to be one word.
 */
export const shownCell = (text: string): string => (text.length > MAX_CELL ? HIDDEN : shownName(text));

/** Maximum number of characters of a sign-in provider's name in a message. Issuer URLs may be this long. */
const MAX_PROVIDER = 256;
const ISSUER = /^(?:https?:\/\/|urn:)[^\s@]+$/i;

/**
 * Returns the name of a sign-in provider for a message. Names are treated like `shownCell`, but issuer URLs
 * are shown in full, because the operator has to repeat them.
 */
export const shownProvider = oncePerName((provider) =>
  ISSUER.test(provider) && provider.length <= MAX_PROVIDER && !looksLikeSecret(provider)
    ? provider
    : shownCell(provider),
);
