import { oncePerName } from './column-names.ts';
import { looksLikeHash } from './looks-like-hash.ts';
import { looksLikeSecret } from './looks-like-secret.ts';

/** Maximum length of a shown name: the longest of PostgreSQL (63), MySQL (64) and SQL Server (128). */
const MAX_CHARACTERS = 128;
/** A "name" that is data of users: an address, several lines, or a piece of JSON or SQL. */
const DATA = /@[^@]*\.|["{}\\\r\n]|(?<!\p{L})'|'(?!\p{L})/u;
/** More consecutive letters and digits than any column name has. */
const LONG_WORD = /[A-Za-z0-9+/=.$]{40}/;

const HIDDEN = '••';

/**
 * Returns the name of a table or column for a message, or dots if it is data of users. Files without a
 * header, and objects whose keys are addresses, have data in place of names.
 */
export const shownName = (name: string): string => (looksLikeData(name) ? HIDDEN : name);

const looksLikeData = (name: string) =>
  name.length > MAX_CHARACTERS ||
  DATA.test(name) ||
  LONG_WORD.test(name) ||
  looksLikeHash(name.trim()) ||
  looksLikeSecret(name);

/** Maximum number of characters of a cell in a message: enough for words for states and names of tenants. */
export const MAX_CELL = 40;

/** Returns the text of a cell for a message, or dots for an address, a secret or a long text. */
export const shownCell = (text: string): string => (text.length > MAX_CELL ? HIDDEN : shownName(text));

/** Maximum number of characters of a provider's name in a message. Issuer URLs may be this long. */
const MAX_PROVIDER = 256;
const ISSUER = /^(?:https?:\/\/|urn:)[^\s@]+$/i;

/** Issuer URLs of sign-in providers are shown in full, because the operator has to repeat them. */
export const shownProvider = oncePerName((provider) =>
  ISSUER.test(provider) && provider.length <= MAX_PROVIDER && !looksLikeSecret(provider)
    ? provider
    : shownCell(provider),
);
