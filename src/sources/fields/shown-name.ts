import { looksLikeHash } from './looks-like-hash.ts';

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
  name.length > MAX_CHARACTERS || DATA.test(name) || LONG_WORD.test(name) || looksLikeHash(name.trim());
