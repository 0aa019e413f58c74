import type { SqlDialect } from '../table.ts';

export type Family = 'postgres' | 'mysql' | 'sqlite' | 'mssql' | 'h2' | 'standard';

/**
 * Properties of the SQL dialect of one statement. Statements and comments of a dump change them (session.ts).
 */
export interface Dialect {
  /** `standard` until a statement or comment identifies the system of the SQL dump. */
  readonly name: Family;
  /** Whether backslashes in plain '…' are escapes. Also true if this is unknown, which `isUnsure` says. */
  readonly hasBackslashEscapes: boolean;
  /** Unknown if backslashes are escapes. The reader of the dump stops at the first backslash in a text. */
  readonly isUnsure: boolean;
  readonly hasHashComments: boolean;
  /** As in MySQL, `--` begins a comment only if white space follows. */
  readonly needsSpaceInComments: boolean;
  /** Code in comments that begin with an exclamation mark is executed, as in MySQL. */
  readonly hasExecutableComments: boolean;
  readonly hasNestedComments: boolean;
  /** SQL names may be in [ ]. In other dialects brackets are arrays, which may contain quoted texts. */
  readonly hasBracketNames: boolean;
  /** `$$…$$`, `$tag$…$tag$` and `E'…'` are SQL strings. */
  readonly hasPostgresStrings: boolean;
  /** SQL statements end at a line `GO` or before the next statement, rather than at a semicolon. */
  readonly hasGoLines: boolean;
  /** `KEY name (…)` and `INDEX name (…)` in CREATE TABLE are indexes. In other dialects they are columns. */
  readonly hasKeyItems: boolean;
  /** Whether "…" in place of a value is an SQL string, as in MySQL, and not a name. */
  readonly hasDoubleQuotedTexts: boolean;
  readonly hasDoubleQuotedEscapes: boolean;
  /** Dump programs end every BEGIN TRANSACTION with COMMIT, so that a dump without COMMIT is truncated. */
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

export interface Modes {
  backslashesEscape: boolean | undefined;
  /** ANSI_QUOTES of MySQL: "…" is a name and not a string. */
  hasAnsiQuotes: boolean;
  saysUtf8: boolean;
}

const KNOWN = new Map<string, Dialect>();

/** Returns the same object for the same arguments, so that dialects can be compared and used as keys. */
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

/** Meaning of `--sql-dialect`. Only MySQL and old versions of PostgreSQL use backslashes as escapes. */
export const BACKSLASHES: Readonly<Record<SqlDialect, { family: Family; backslashesEscape: boolean }>> = {
  postgres: { family: 'postgres', backslashesEscape: false },
  mysql: { family: 'mysql', backslashesEscape: true },
  'mysql-no-backslash': { family: 'mysql', backslashesEscape: false },
  sqlite: { family: 'sqlite', backslashesEscape: false },
  mssql: { family: 'mssql', backslashesEscape: false },
};
