/**
 * In what the writers of SQL dumps differ, for one reader that reads them all. The first 64 KiB decide, once:
 * backslashes escape in MySQL and MariaDB (unless sql_mode says NO_BACKSLASH_ESCAPES) and in PostgreSQL with
 * standard_conforming_strings off; nowhere else. What shows no dialect is read as standard SQL.
 */
export interface Dialect {
  readonly name: 'postgres' | 'mysql' | 'sqlite' | 'mssql' | 'standard';
  /** Does a backslash escape within plain '…'? */
  readonly hasBackslashEscapes: boolean;
  readonly hasHashComments: boolean;
  /** Names in [ ]. Elsewhere these are arrays, and quotes in them count. */
  readonly hasBracketNames: boolean;
  /** `$$…$$`, `$tag$…$tag$` and `E'…'` */
  readonly hasPostgresStrings: boolean;
  /** Statements end where a line has `GO`, or where the next one begins; a semicolon is rare. */
  readonly hasGoLines: boolean;
  /** `KEY name (…)` and `INDEX name (…)` among the columns. Elsewhere these are names of columns. */
  readonly hasKeyItems: boolean;
  /** Does "…" stand for a text where a value stands? */
  readonly hasDoubleQuotedTexts: boolean;
  /** Is what was begun by BEGIN TRANSACTION also ended by COMMIT in a whole dump? */
  readonly hasTransaction: boolean;
  /** Does MySQL's dump say that its text is UTF-8? What is not, is in a column of bytes then. */
  readonly saysUtf8: boolean;
}

const STANDARD: Dialect = {
  name: 'standard',
  hasBackslashEscapes: false,
  hasHashComments: false,
  hasBracketNames: false,
  hasPostgresStrings: true,
  hasGoLines: false,
  hasKeyItems: false,
  hasDoubleQuotedTexts: false,
  hasTransaction: false,
  saysUtf8: false,
};

const MYSQL: Dialect = {
  ...STANDARD,
  name: 'mysql',
  hasBackslashEscapes: true,
  hasHashComments: true,
  hasPostgresStrings: false,
  hasKeyItems: true,
  hasDoubleQuotedTexts: true,
  hasTransaction: true,
};

/** What shows which dialect a dump is in, at the start of a line where no cell can stand. The first that is found decides. */
const SIGNS: readonly (readonly [RegExp, Dialect])[] = [
  [
    /^(?:-- PostgreSQL database|\\restrict |(?:-- )?SET standard_conforming_strings|SELECT pg_catalog\.|COPY .{1,9999} FROM stdin;)/im,
    { ...STANDARD, name: 'postgres' },
  ],
  [/^(?:-- (?:MySQL|MariaDB) dump|-- phpMyAdmin|-- Adminer [\d.]+ MySQL|-- HeidiSQL|\/\*M?!\d)/m, MYSQL],
  [
    /^(?:PRAGMA |INSERT INTO "?sqlite_)/im,
    {
      ...STANDARD,
      name: 'sqlite',
      hasBracketNames: true,
      hasPostgresStrings: false,
      hasDoubleQuotedTexts: true,
      hasTransaction: true,
    },
  ],
  [
    /^(?:GO\r?$|USE \[|SET (?:ANSI_NULLS|QUOTED_IDENTIFIER|IDENTITY_INSERT) |INSERT (?:INTO )?\[|CREATE TABLE \[)/im,
    {
      ...STANDARD,
      name: 'mssql',
      hasBracketNames: true,
      hasPostgresStrings: false,
      hasGoLines: true,
      hasKeyItems: true,
    },
  ],
  [
    /^(?:(?:CREATE TABLE|INSERT INTO|INSERT IGNORE INTO|REPLACE INTO) [^'\n]{0,99}`|[^'\n]{0,99}ENGINE ?=)/im,
    MYSQL,
  ],
];

const CONFORMING_OFF = /^SET standard_conforming_strings = '?off/im;
const NAMES_UTF8 = /^(?:\/\*!\d+ )?SET NAMES '?utf8/im;
const NO_BACKSLASHES = /^[^\n']{0,999}SQL_MODE ?= ?['"][^'"\n]{0,999}NO_BACKSLASH_ESCAPES/im;

/** @param head the first 64 KiB, or what the file has, one character a byte */
export function dialectOf(head: string): Dialect {
  const dialect = SIGNS.find(([sign]) => sign.test(head))?.[1] ?? STANDARD;
  if (dialect.name === 'postgres' && CONFORMING_OFF.test(head))
    return { ...dialect, hasBackslashEscapes: true };
  if (dialect.name === 'mysql') {
    return { ...dialect, hasBackslashEscapes: !NO_BACKSLASHES.test(head), saysUtf8: NAMES_UTF8.test(head) };
  }
  return dialect;
}
