import { oncePerName } from './column-names.ts';
import { looksLikeHash } from './looks-like-hash.ts';
import { looksLikeSecret } from './looks-like-secret.ts';

/** Longer than databases allow (PostgreSQL 63, MySQL 64, SQL Server 128). */
const MAX_CHARACTERS = 128;
/** An address, or a piece of JSON or of a row of SQL. */
const DATA = /@[^@]*\.|["'{}\\]/;
/** No name has so many letters and digits without a break. */
const LONG_WORD = /[A-Za-z0-9+/=.$]{40}/;

/** Stands where a name would show data. */
const HIDDEN = '••';

/**
 * The name of a table or column, to be shown. Files without a header, and objects whose keys are addresses, have data where names should
 * be: that is not shown.
 */
export const shownName = (name: string): string => (looksLikeData(name) ? HIDDEN : name);

const looksLikeData = (name: string) =>
  name.length > MAX_CHARACTERS ||
  DATA.test(name) ||
  LONG_WORD.test(name) ||
  looksLikeHash(name.trim()) ||
  looksLikeSecret(name);

/** Longer than words for states and names of tenants are, in characters. */
export const MAX_CELL = 40;

/** Returns the text of a cell for a message, or dots in its place if it is an address, a secret, or longer than a word. */
export const shownCell = (text: string): string => (text.length > MAX_CELL ? HIDDEN : shownName(text));

/** In characters: addresses of issuers may be as long. */
const MAX_PROVIDER = 256;
const ISSUER = /^(?:https?:\/\/|urn:)[^\s@]+$/i;

/**
 * Returns the name of a provider in the file for a message, as `shownCell` does. Issuers are addresses of pages, which are shown as a
 * whole: the operator has to repeat them.
 */
export const shownProvider = oncePerName((provider) =>
  ISSUER.test(provider) && provider.length <= MAX_PROVIDER && !looksLikeSecret(provider)
    ? provider
    : shownCell(provider),
);
