import { isIP } from 'node:net';
import { looksLikeHash } from './looks-like-hash.ts';

/** Maximum length of a shown name: the longest of PostgreSQL (63), MySQL (64) and SQL Server (128). */
const MAX_CHARACTERS = 128;
/** Maximum length of a shown cell: enough for words for states and names of tenants. */
export const MAX_CELL = 40;
/** Maximum length of a provider's name. Issuer URLs may be this long. */
const MAX_PROVIDER = 256;
const ISSUER = /^(?:https?:\/\/|urn:)[^\s@?#]+$/i;

/** Text that is data of users: an address, several lines, a JWT, a named secret, or a piece of JSON or SQL. */
const DATA = /@[^@]*\.|["{}\\\r\n]|(?<!\p{L})'|'(?!\p{L})|^eyJ|(?:pass\w*|pwd|secret|token|key)=/iu;
/** A run of letters and digits as long as that of a token. People do not write such long words. */
const RANDOM = /[A-Za-z0-9+/=.$]{40}|(?=[A-Za-z0-9]{16})[A-Za-z]*\d+[A-Za-z]+\d/;

const HIDDEN = '••';

/**
 * No message shows a hash, a token, a key or an address of a user. That is all there is to find secrets: what is
 * imported is named by declarations and by the operator.
 */
const isShown = (text: string, maxLength: number): boolean =>
  text.length <= maxLength &&
  !DATA.test(text) &&
  !RANDOM.test(text) &&
  !looksLikeHash(text.trim()) &&
  isIP(text.trim()) === 0;

/**
 * Returns the name of a table or column for a message, or dots if it is data of users. Files without a
 * header, and objects whose keys are addresses, have data in place of names.
 */
export const shownName = (name: string): string => (isShown(name, MAX_CHARACTERS) ? name : HIDDEN);

/** Returns the text of a cell for a message, or dots for an address, a secret or a long text. */
export const shownCell = (text: string): string => (isShown(text, MAX_CELL) ? text : HIDDEN);

/** Issuer URLs of sign-in providers are shown in full, because the operator has to repeat them. */
export const shownProvider = (provider: string): string =>
  ISSUER.test(provider) && provider.length <= MAX_PROVIDER ? provider : shownCell(provider);
