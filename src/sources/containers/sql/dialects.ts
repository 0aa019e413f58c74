import type { SqlDialect } from '../table.ts';

/** Syntax in which the systems that write SQL dumps differ. */
export interface Dialect {
  /** `standard` until a statement or comment shows which system wrote the dump. */
  readonly name: 'standard' | 'postgres' | 'mysql' | 'sqlite' | 'mssql';
  /** `#` begins a comment, `--` only before white space, and code in comments with an exclamation mark is executed. */
  readonly hasMysqlComments?: true;
  readonly hasNestedComments?: true;
  /** Names may be in [ ]. In other dialects brackets are arrays, which may contain quoted texts. */
  readonly hasBracketNames?: true;
  /** `$$…$$`, `$tag$…$tag$`, `E'…'` and `U&'…'` are texts. */
  readonly hasPostgresTexts?: true;
  /** A statement ends at a line `GO` or before the next statement, rather than at a semicolon. */
  readonly hasGoLines?: true;
  /** `KEY name (…)` and `INDEX name (…)` in CREATE TABLE are indexes. In other dialects they are columns. */
  readonly hasKeyItems?: true;
  /** "…" is a text, and not a name, where a value is expected. */
  readonly hasDoubleQuotedTexts?: true;
}

const DIALECTS: Readonly<Record<Dialect['name'], Dialect>> = {
  standard: { name: 'standard', hasPostgresTexts: true, hasDoubleQuotedTexts: true },
  postgres: { name: 'postgres', hasPostgresTexts: true, hasNestedComments: true },
  mysql: { name: 'mysql', hasMysqlComments: true, hasKeyItems: true, hasDoubleQuotedTexts: true },
  sqlite: { name: 'sqlite', hasBracketNames: true, hasDoubleQuotedTexts: true },
  mssql: {
    name: 'mssql',
    hasBracketNames: true,
    hasNestedComments: true,
    hasGoLines: true,
    hasKeyItems: true,
  },
};

/** Meaning of texts in quotes, as set by MySQL's `sql_mode` or PostgreSQL's `standard_conforming_strings`. */
export interface Mode {
  /**
   * Whether backslashes in '…' are escapes. Undefined: the dump does not show it, so the first backslash is refused.
   */
  hasEscapes: boolean | undefined;
  /** ANSI_QUOTES of MySQL: "…" is a name and not a text. */
  hasAnsiQuotes: boolean;
}

/**
 * A dialect, and whether backslashes in its texts are escapes (undefined: not known yet). `--sql-dialect` names it, or a
 * statement or comment of the dump shows it.
 */
type Known = readonly [name: Dialect['name'], hasEscapes: boolean | undefined];

/** Meaning of `--sql-dialect`. Only MySQL and old versions of PostgreSQL use backslashes as escapes. */
const TOLD: Readonly<Record<SqlDialect, Known>> = {
  postgres: ['postgres', false],
  mysql: ['mysql', true],
  'mysql-no-backslash': ['mysql', false],
  sqlite: ['sqlite', false],
  mssql: ['mssql', false],
};

/** Settings by which the next statement of the dump is read. Statements and comments of the dump change them. */
export class Session implements Mode {
  dialect = DIALECTS.standard;
  hasEscapes: boolean | undefined;
  hasAnsiQuotes = false;
  /** Mode at the beginning of a session of the client, which `\connect` and RESET set again. */
  start: Mode = { hasEscapes: undefined, hasAnsiQuotes: false };
  /** Modes that the dump stored in variables, to set them again later. Undefined: only the server knows the mode. */
  readonly saved = new Map<string, Mode | undefined>();
  /** End of statements, which the `mysql` client changes with its command DELIMITER. */
  delimiter = ';';
  /** Encoding that the dump declares, in lower case. */
  charset: string | undefined;
  readonly isEncodingGiven: boolean;
  /** Schema of table names without one: the database of MySQL's USE, or PostgreSQL's search_path. */
  schema: string | undefined;

  constructor(told: SqlDialect | undefined, isEncodingGiven: boolean) {
    this.isEncodingGiven = isEncodingGiven;
    if (told !== undefined) startAs(this, TOLD[told]);
  }
}

export function setDialect(session: Session, name: Dialect['name']): void {
  session.dialect = DIALECTS[name];
}

/** Sets the dialect, and its mode for this session and those after it. */
function startAs(session: Session, [name, hasEscapes]: Known): void {
  setDialect(session, name);
  session.hasEscapes = hasEscapes;
  session.start = { hasEscapes, hasAnsiQuotes: false };
}

const POSTGRES_SETTINGS =
  'statement_timeout|lock_timeout|idle_in_transaction_session_timeout|transaction_timeout|client_encoding|standard_conforming_strings|check_function_bodies|xmloption|client_min_messages|row_security|default_tablespace|default_table_access_method|default_with_oids|search_path|session_replication_role|bytea_output|escape_string_warning';

/** PostgreSQL. Whether backslashes are escapes is unknown until a SET statement of the dump says it. */
const POSTGRES: Known = ['postgres', undefined];

/**
 * Comments and beginnings of statements that show which system wrote the dump, and whether it escapes by backslashes.
 */
const SIGNS: readonly (readonly [RegExp, Known])[] = [
  [/-- PostgreSQL database|\\(?:(?:un)?restrict|connect) |SELECT\s+pg_catalog\./iy, POSTGRES],
  [new RegExp(`SET\\s+(?:SESSION\\s+|LOCAL\\s+)?(?:${POSTGRES_SETTINGS})\\s*(?:=|TO\\s)`, 'iy'), POSTGRES],
  // mysqldump sets the SQL mode of its own session, so it always escapes with backslashes. Backticks prove
  // nothing, because dumps of SQLite may have them, too.
  [/-- (?:MySQL|MariaDB) dump|\/\*M?!\d/y, TOLD.mysql],
  [/PRAGMA\s|INSERT INTO "?sqlite_/iy, TOLD.sqlite],
  [
    /GO[ \t]*\r?(?:\n|$)|USE\s+\[|SET\s+(?:ANSI_NULLS|ANSI_PADDING|QUOTED_IDENTIFIER|IDENTITY_INSERT|NOCOUNT|XACT_ABORT)\s|INSERT\s+(?:INTO\s+)?\[|CREATE\s+TABLE\s+\[/iy,
    TOLD.mssql,
  ],
];

/** Setting that some tools write as a comment. It is PostgreSQL's default, so backslashes are not escapes. */
const CONFORMING_COMMENT = /-- SET standard_conforming_strings = on;/y;

/** Looks for a sign of the dialect at the beginning of a statement or comment. */
export function noteSign(session: Session, startsWith: (pattern: RegExp) => boolean): void {
  if (session.dialect.name === 'postgres' && startsWith(CONFORMING_COMMENT)) session.hasEscapes ??= false;
  if (session.dialect.name !== 'standard') return;
  const known = SIGNS.find(([pattern]) => startsWith(pattern))?.[1];
  if (known !== undefined) startAs(session, known);
}

/** Value of `charset` for dumps by mysqldump --compatible=ansi, which do not declare their encoding. */
export const UNSTATED = 'an encoding that it does not name';

/** Encodings that need no decision of the operator: UTF-8, or names that do not determine an encoding. */
const NEUTRAL = /^(?:utf-?8.*|unicode|sql_ascii|ascii|us-ascii|binary|default|none|null|)$/;

/** Returns the encoding that the dump declares, if it is not UTF-8 and the operator named none. */
export const foreignCharset = ({ charset = '', isEncodingGiven }: Session): string | undefined =>
  isEncodingGiven || NEUTRAL.test(charset) ? undefined : charset;

/** Whether a MySQL dump declares its text as UTF-8. Values that are not UTF-8 are then bytes. */
export const saysUtf8 = ({ dialect, charset = '' }: Session): boolean =>
  dialect.name === 'mysql' && /^utf-?8/.test(charset);

/** Whether a dump of MySQL does not declare its encoding, on which escapes depend there. Other servers decode first. */
export const lacksCharset = ({ dialect, charset, isEncodingGiven }: Session): boolean =>
  dialect.name === 'mysql' && !isEncodingGiven && (charset === undefined || charset === UNSTATED);

/** Encodings in which a backslash may be the second byte of a character, with the names of TextDecoder. */
const EMBED_BACKSLASHES: readonly (readonly [RegExp, label: string])[] = [
  [/^(?:sjis|shift_?jis.*|cp932|win932|mskanji)$/, 'shift_jis'],
  [/^(?:johab|uhc|win949)$/, 'euc-kr'],
  [/^(?:gbk|win936)$/, 'gbk'],
  [/^gb18030$/, 'gb18030'],
  [/^(?:big5|win950)$/, 'big5'],
];

/** Returns the label for `--encoding` if the meaning of backslashes depends on the declared encoding. */
export const labelIfAmbiguous = ({ charset = '', isEncodingGiven }: Session): string | undefined =>
  isEncodingGiven ? undefined : EMBED_BACKSLASHES.find(([pattern]) => pattern.test(charset))?.[1];
