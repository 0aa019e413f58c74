import { isIP } from 'node:net';
import { looksLikeHash } from './looks-like-hash.ts';

/** Maximum length of a shown name. SQL Server permits the longest names (128), PostgreSQL 63, MySQL 64. */
const MAX_CHARACTERS = 128;
/** Maximum length of a shown cell, enough for words of states and names of tenants. */
export const MAX_CELL = 40;
/** Maximum length of a provider's name. Issuer URLs may be this long. */
const MAX_PROVIDER = 256;
const ISSUER = /^(?:https?:\/\/|urn:)[^\s@?#]+$/i;

/** Signs of users' data: an address, several lines, a JWT, a secret with its name, or a piece of JSON or SQL. */
const DATA = /@[^@]*\.|["{}\\\r\n]|(?<!\p{L})'|'(?!\p{L})|^eyJ|(?:pass\w*|pwd|secret|token|key)=/iu;
/**
 * Random text, as in tokens: 40 characters of base64 or of a hash in a row, or a word of at least 16 letters and digits
 * in which letters stand between digits.
 */
const RANDOM = /[A-Za-z0-9+/=.$]{40}|(?=[A-Za-z0-9]{16})[A-Za-z]*\d+[A-Za-z]+\d/;

const HIDDEN = '••';

/**
 * Whether a message may show a text: it is not a hash, token, key, or address of a user. Secrets are detected only for
 * messages. What is imported is decided by declarations and by the operator.
 */
const isShown = (text: string, maxLength: number): boolean =>
  text.length <= maxLength &&
  !DATA.test(text) &&
  !RANDOM.test(text) &&
  !looksLikeHash(text.trim()) &&
  isIP(text.trim()) === 0;

/**
 * Returns the name of a table or column for a message, or dots if it is data of users. In files without a header, and
 * in objects with addresses as keys, names are data.
 */
export const shownName = (name: string): string => (isShown(name, MAX_CHARACTERS) ? name : HIDDEN);

/** Returns the text of a cell for a message, or dots for an address, a secret or a long text. */
export const shownCell = (text: string): string => (isShown(text, MAX_CELL) ? text : HIDDEN);

/** Returns a provider's name for a message. Issuer URLs are shown in full, because the operator has to repeat them. */
export const shownProvider = (provider: string): string =>
  ISSUER.test(provider) && provider.length <= MAX_PROVIDER ? provider : shownCell(provider);
