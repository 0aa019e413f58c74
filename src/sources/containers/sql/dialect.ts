import type { SqlDialect } from '../table.ts';

export type Family = 'postgres' | 'mysql' | 'sqlite' | 'mssql' | 'h2' | 'standard';

/**
 * Properties of an SQL dialect that the reader of dumps needs. The statements and comments of a dump change
 * them, in their order (session.ts), so they are valid for one statement.
 */
export interface Dialect {
  /** Database system that wrote the dump. `standard` until a statement or comment identifies the system. */
  readonly name: Family;
  /** Whether backslashes in plain '…' are escapes. Also true if this is unknown, which `isUnsure` says. */
  readonly hasBackslashEscapes: boolean;
  /**
   * Whether it is unknown if backslashes are escapes. The reader of the dump then stops at the first
   * backslash in a text.
   */
  readonly isUnsure: boolean;
  readonly hasHashComments: boolean;
  /** Whether `--` begins an SQL comment only if white space follows, as in MySQL. */
  readonly needsSpaceInComments: boolean;
  /**
   * Whether a database of this dialect executes code in comments that begin with an exclamation mark, as
   * MySQL does.
   */
  readonly hasExecutableComments: boolean;
  readonly hasNestedComments: boolean;
  /**
   * Whether SQL names may be written in [ ]. In other dialects brackets are arrays, which may contain quoted
   * texts.
   */
  readonly hasBracketNames: boolean;
  /** Whether `$$…$$`, `$tag$…$tag$` and `E'…'` are SQL strings, as in PostgreSQL. */
  readonly hasPostgresStrings: boolean;
  /**
   * Whether SQL statements end at a line `GO` or at the start of the next statement, rather than at a
   * semicolon.
   */
  readonly hasGoLines: boolean;
  /**
   * Whether `KEY name (…)` and `INDEX name (…)` in CREATE TABLE are indexes. In other dialects these words
   * are column names.
   */
  readonly hasKeyItems: boolean;
  /** Whether "…" in place of a value is an SQL string, as in MySQL, and not a name. */
  readonly hasDoubleQuotedTexts: boolean;
  /** Whether a backslash in "…" begins an escape in this SQL dialect. */
  readonly hasDoubleQuotedEscapes: boolean;
  /**
   * Whether the dump programs of this database end every BEGIN TRANSACTION with COMMIT, so that a dump
   * without COMMIT is truncated.
   */
  readonly hasTransaction: boolean;
  /** Whether a MySQL dump declares its text as UTF-8. If so, values that are not UTF-8 are bytes. */
  readonly saysUtf8: boolean;
}

const STANDARD: Dialect = {
  name: 'standard',
  hasBackslashEscapes: false,
  isUnsure: false,
  hasHashComments: false,
  needsSpaceInComments: false,
  hasExecutableComments: false,
  hasNestedComments: false,
  hasBracketNames: false,
  hasPostgresStrings: true,
  hasGoLines: false,
  hasKeyItems: false,
  hasDoubleQuotedTexts: true,
  hasDoubleQuotedEscapes: false,
  hasTransaction: true,
  saysUtf8: false,
};

const FAMILIES: Readonly<Record<Family, Dialect>> = {
  standard: STANDARD,
  postgres: { ...STANDARD, name: 'postgres', hasNestedComments: true, hasDoubleQuotedTexts: false },
  mysql: {
    ...STANDARD,
    name: 'mysql',
    hasHashComments: true,
    needsSpaceInComments: true,
    hasExecutableComments: true,
    hasPostgresStrings: false,
    hasKeyItems: true,
  },
  sqlite: { ...STANDARD, name: 'sqlite', hasBracketNames: true, hasPostgresStrings: false },
  h2: { ...STANDARD, name: 'h2', hasDoubleQuotedTexts: false },
  mssql: {
    ...STANDARD,
    name: 'mssql',
    hasNestedComments: true,
    hasBracketNames: true,
    hasPostgresStrings: false,
    hasGoLines: true,
    hasKeyItems: true,
    hasDoubleQuotedTexts: false,
    hasTransaction: false,
  },
};

/** Settings of the SQL dialect that differ between dumps of the same system. */
export interface Modes {
  /** Whether a backslash in an SQL string begins an escape. Undefined if the dump does not show it. */
  backslashesEscape: boolean | undefined;
  /** Whether "…" is a name and not a string in a MySQL dump (ANSI_QUOTES). */
  hasAnsiQuotes: boolean;
  saysUtf8: boolean;
}

const KNOWN = new Map<string, Dialect>();

/**
 * Returns the SQL dialect with these settings. Returns the same object for the same arguments, so that
 * dialects can be compared and used as keys.
 */
export function dialectWith(family: Family, modes: Modes): Dialect {
  const key = `${family} ${modes.backslashesEscape} ${modes.hasAnsiQuotes} ${modes.saysUtf8}`;
  const known = KNOWN.get(key);
  if (known !== undefined) return known;
  const base = FAMILIES[family];
  const isUnsure = modes.backslashesEscape === undefined;
  const hasBackslashEscapes = modes.backslashesEscape ?? true;
  const mayQuoteTexts = base.hasDoubleQuotedTexts && !modes.hasAnsiQuotes;
  const dialect: Dialect = {
    ...base,
    hasBackslashEscapes,
    isUnsure,
    hasDoubleQuotedTexts: mayQuoteTexts,
    hasDoubleQuotedEscapes: mayQuoteTexts && hasBackslashEscapes,
    saysUtf8: modes.saysUtf8,
  };
  KNOWN.set(key, dialect);
  return dialect;
}

/**
 * Meaning of backslashes for each value of `--sql-dialect`. Only MySQL and old versions of PostgreSQL use
 * them as escapes.
 */
export const BACKSLASHES: Readonly<Record<SqlDialect, { family: Family; backslashesEscape: boolean }>> = {
  postgres: { family: 'postgres', backslashesEscape: false },
  mysql: { family: 'mysql', backslashesEscape: true },
  'mysql-no-backslash': { family: 'mysql', backslashesEscape: false },
  sqlite: { family: 'sqlite', backslashesEscape: false },
  mssql: { family: 'mssql', backslashesEscape: false },
};
