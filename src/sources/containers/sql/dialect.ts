import type { SqlDialect } from '../table.ts';

export type Family = 'postgres' | 'mysql' | 'sqlite' | 'mssql' | 'standard';

/** What differs between the systems that write SQL dumps. */
interface Switches {
  readonly hasHashComments: boolean;
  /** As in MySQL, `--` begins a comment only if white space follows. */
  readonly needsSpaceInComments: boolean;
  /** Code in comments that begin with an exclamation mark is executed, as in MySQL. */
  readonly hasExecutableComments: boolean;
  readonly hasNestedComments: boolean;
  /** Names may be in [ ]. In other dialects brackets are arrays, which may contain quoted texts. */
  readonly hasBracketNames: boolean;
  /** `$$…$$`, `$tag$…$tag$` and `E'…'` are texts. */
  readonly hasPostgresStrings: boolean;
  /** A statement ends at a line `GO` or before the next statement, rather than at a semicolon. */
  readonly hasGoLines: boolean;
  /** `KEY name (…)` and `INDEX name (…)` in CREATE TABLE are indexes. In other dialects they are columns. */
  readonly hasKeyItems: boolean;
  /** "…" in place of a value is a text, and not a name. */
  readonly hasDoubleQuotedTexts: boolean;
  /** Dump programs end every BEGIN TRANSACTION with COMMIT, so that a dump without COMMIT is truncated. */
  readonly hasTransaction: boolean;
}

/** How the next statement of the dump is read. Statements and comments of the dump change it. */
export interface Dialect extends Switches {
  /** `standard` until a statement or comment identifies the system that wrote the dump. */
  readonly name: Family;
  /** Whether backslashes in plain '…' are escapes. Also true if this is unknown, which `isUnsure` says. */
  readonly hasBackslashEscapes: boolean;
  /** Unknown if backslashes are escapes. The first backslash in a text stops the reading. */
  readonly isUnsure: boolean;
  /** A MySQL dump declares its text as UTF-8. If so, values that are not UTF-8 are bytes. */
  readonly saysUtf8: boolean;
  /** End of statements, which the `mysql` client changes with its command DELIMITER. */
  readonly delimiter: string;
}

const STANDARD: Switches = {
  hasHashComments: false,
  needsSpaceInComments: false,
  hasExecutableComments: false,
  hasNestedComments: false,
  hasBracketNames: false,
  hasPostgresStrings: true,
  hasGoLines: false,
  hasKeyItems: false,
  hasDoubleQuotedTexts: true,
  hasTransaction: true,
};

const FAMILIES: Readonly<Record<Family, Switches>> = {
  standard: STANDARD,
  postgres: { ...STANDARD, hasNestedComments: true, hasDoubleQuotedTexts: false },
  mysql: {
    ...STANDARD,
    hasHashComments: true,
    needsSpaceInComments: true,
    hasExecutableComments: true,
    hasPostgresStrings: false,
    hasKeyItems: true,
  },
  sqlite: { ...STANDARD, hasBracketNames: true, hasPostgresStrings: false },
  mssql: {
    ...STANDARD,
    hasNestedComments: true,
    hasBracketNames: true,
    hasPostgresStrings: false,
    hasGoLines: true,
    hasKeyItems: true,
    hasDoubleQuotedTexts: false,
    hasTransaction: false,
  },
};

/** Settings of the database server and its client at the current statement. */
export interface Modes {
  family: Family;
  /** PostgreSQL: standard_conforming_strings is off. MySQL: NO_BACKSLASH_ESCAPES is not set. */
  backslashesEscape: boolean | undefined;
  /** ANSI_QUOTES of MySQL: "…" is a name and not a text. */
  hasAnsiQuotes: boolean;
  saysUtf8: boolean;
  delimiter: string;
}

const KNOWN = new Map<string, Dialect>();

/** Returns the same object for the same modes, so that dialects can be compared and used as keys. */
export function dialectWith(modes: Modes): Dialect {
  const { family, backslashesEscape, hasAnsiQuotes, saysUtf8, delimiter } = modes;
  const key = `${family} ${backslashesEscape} ${hasAnsiQuotes} ${saysUtf8} ${delimiter}`;
  const known = KNOWN.get(key);
  if (known !== undefined) return known;
  const dialect: Dialect = {
    ...FAMILIES[family],
    name: family,
    hasBackslashEscapes: backslashesEscape ?? true,
    isUnsure: backslashesEscape === undefined,
    hasDoubleQuotedTexts: FAMILIES[family].hasDoubleQuotedTexts && !hasAnsiQuotes,
    saysUtf8,
    delimiter,
  };
  // The file chooses its delimiters, so their number is limited.
  if (KNOWN.size < 1000) KNOWN.set(key, dialect);
  return dialect;
}

/** Meaning of `--sql-dialect`. Only MySQL and old versions of PostgreSQL use backslashes as escapes. */
export const TOLD: Readonly<Record<SqlDialect, Pick<Modes, 'family' | 'backslashesEscape'>>> = {
  postgres: { family: 'postgres', backslashesEscape: false },
  mysql: { family: 'mysql', backslashesEscape: true },
  'mysql-no-backslash': { family: 'mysql', backslashesEscape: false },
  sqlite: { family: 'sqlite', backslashesEscape: false },
  mssql: { family: 'mssql', backslashesEscape: false },
};
