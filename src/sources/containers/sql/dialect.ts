import type { SqlDialect } from '../table.ts';

export type Family = 'postgres' | 'mysql' | 'sqlite' | 'mssql' | 'h2' | 'standard';

/**
 * What the lexer must know of the system whose SQL it reads. It is decided by statements and comments outside of texts, in their
 * order (session.ts), and holds for one statement.
 */
export interface Dialect {
  /** `standard`: no statement has shown the system yet. */
  readonly name: Family;
  /** Whether backslashes within plain '…' are looked at: they escape, or `isUnsure`. */
  readonly hasBackslashEscapes: boolean;
  /** Nothing says whether backslashes escape: the reader stops at the first one in a text. */
  readonly isUnsure: boolean;
  readonly hasHashComments: boolean;
  /** MySQL: `--` begins a comment only before white space. */
  readonly needsSpaceInComments: boolean;
  /** MySQL executes what stands in comments that begin with an exclamation mark. */
  readonly hasExecutableComments: boolean;
  readonly hasNestedComments: boolean;
  /** Names in [ ]. Elsewhere these are arrays, and quotes in them count. */
  readonly hasBracketNames: boolean;
  /** `$$…$$`, `$tag$…$tag$` and `E'…'` */
  readonly hasPostgresStrings: boolean;
  /** Statements end where a line has `GO`, or where the next one begins; a semicolon is rare. */
  readonly hasGoLines: boolean;
  /** `KEY name (…)` and `INDEX name (…)` among the columns. Elsewhere these are names of columns. */
  readonly hasKeyItems: boolean;
  /** Whether "…" stands for a text where a value stands. */
  readonly hasDoubleQuotedTexts: boolean;
  /** Whether backslashes within "…" are looked at. */
  readonly hasDoubleQuotedEscapes: boolean;
  /** Whether what was begun by BEGIN TRANSACTION is ended by COMMIT in a whole dump. */
  readonly hasTransaction: boolean;
  /** Whether MySQL's dump says that its text is UTF-8. What is not, is in a column of bytes then. */
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

/** What differs between dumps of one system. */
export interface Modes {
  /** Undefined: nothing says it. */
  backslashesEscape: boolean | undefined;
  /** MySQL: "…" is a name. */
  hasAnsiQuotes: boolean;
  saysUtf8: boolean;
}

const KNOWN = new Map<string, Dialect>();

/** The same object for the same modes. */
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

/** Whether backslashes escape, where the operator or nothing else says it. Only MySQL and old PostgreSQL have them. */
export const BACKSLASHES: Readonly<Record<SqlDialect, { family: Family; backslashesEscape: boolean }>> = {
  postgres: { family: 'postgres', backslashesEscape: false },
  mysql: { family: 'mysql', backslashesEscape: true },
  'mysql-no-backslash': { family: 'mysql', backslashesEscape: false },
  sqlite: { family: 'sqlite', backslashesEscape: false },
  mssql: { family: 'mssql', backslashesEscape: false },
};
