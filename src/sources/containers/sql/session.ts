import type { SqlDialect } from '../table.ts';
import { BACKSLASHES, type Dialect, dialectWith, type Family } from './dialect.ts';
import { type Token, tokensOf } from './tokens.ts';
import type { Window } from './window.ts';

/**
 * Settings of the database server at the current statement. Statements and comments of the dump change them.
 */
export interface Session {
  family: Family;
  /** PostgreSQL: whether standard_conforming_strings is off. MySQL: unless NO_BACKSLASH_ESCAPES is set. */
  backslashesEscape: boolean | undefined;
  /** `backslashesEscape` of the sql_mode with which MySQL starts, to which the dump may return. */
  atStart: boolean | undefined;
  hasAnsiQuotes: boolean;
  /** Whether the MySQL dump contains `SET NAMES utf8…`. */
  saysUtf8: boolean;
  /** Encoding that the SQL dump declares, in lower case. */
  charset: string | undefined;
  /** MySQL variables that the dump sets, in lower case. User variables include the `@`. */
  readonly variables: Map<string, string>;
}

/** Stands for the value that a MySQL variable has when a session starts, which the dump does not show. */
const AT_START = '\0at start';
/** Stands for a value of a MySQL variable that only the server knows. */
const UNKNOWN = '\0unknown';
/**
 * Stands in messages for the encoding of dumps by mysqldump --compatible=ansi, which do not declare theirs.
 */
const UNSTATED = 'an encoding that it does not name';

export function newSession(dialect: SqlDialect | undefined): Session {
  const known = dialect && BACKSLASHES[dialect];
  return {
    family: known?.family ?? 'standard',
    backslashesEscape: known?.backslashesEscape,
    atStart: known?.backslashesEscape,
    hasAnsiQuotes: false,
    saysUtf8: false,
    charset: undefined,
    variables: new Map(),
  };
}

export const dialectOf = ({ family, backslashesEscape, hasAnsiQuotes, saysUtf8 }: Session): Dialect =>
  dialectWith(family, { backslashesEscape, hasAnsiQuotes, saysUtf8 });

interface Sign {
  pattern: RegExp;
  family: Family;
  /** Undefined if the comment or statement does not show whether backslashes begin escapes. */
  backslashesEscape?: boolean;
}

const POSTGRES_SETTINGS =
  'statement_timeout|lock_timeout|idle_in_transaction_session_timeout|transaction_timeout|client_encoding|standard_conforming_strings|check_function_bodies|xmloption|client_min_messages|row_security|default_tablespace|default_table_access_method|default_with_oids|search_path|session_replication_role|bytea_output|escape_string_warning';
const MYSQL_SETTINGS =
  'sql_mode|foreign_key_checks|unique_checks|character_set_\\w+|collation_connection|sql_notes|sql_log_bin|time_zone|autocommit|sql_auto_is_null|sql_quote_show_create|@\\w|@@';
const TABLE =
  '(?:CREATE\\s+TABLE|DROP\\s+TABLE|LOCK\\s+TABLES|TRUNCATE\\s+TABLE|INSERT\\s+INTO|INSERT\\s+IGNORE\\s+INTO|REPLACE\\s+INTO)';

/** Text that identifies the system of an SQL dump. pg_dump shows its backslash setting later, in SET. */
const SIGNS: readonly Sign[] = [
  { pattern: /-- PostgreSQL database/y, family: 'postgres' },
  { pattern: /\\(?:(?:un)?restrict|connect) /y, family: 'postgres' },
  {
    pattern: new RegExp(`SET\\s+(?:SESSION\\s+|LOCAL\\s+)?(?:${POSTGRES_SETTINGS})\\s*(?:=|TO\\s)`, 'iy'),
    family: 'postgres',
  },
  { pattern: /SELECT\s+pg_catalog\./iy, family: 'postgres' },
  // mysqldump sets the SQL mode of its own session, so it always escapes with backslashes.
  { pattern: /-- (?:MySQL|MariaDB) dump/y, family: 'mysql', backslashesEscape: true },
  { pattern: /\/\*M?!\d/y, family: 'mysql', backslashesEscape: true },
  { pattern: /-- (?:phpMyAdmin|Adminer [\d.]+ MySQL|HeidiSQL)/y, family: 'mysql' },
  {
    pattern: new RegExp(`SET\\s+(?:SESSION\\s+|GLOBAL\\s+|LOCAL\\s+)?(?:${MYSQL_SETTINGS})`, 'iy'),
    family: 'mysql',
  },
  {
    pattern: new RegExp(`DELIMITER\\s|${TABLE}\\s+(?:IF\\s+(?:NOT\\s+)?EXISTS\\s+)?\``, 'iy'),
    family: 'mysql',
  },
  // First line of H2's SCRIPT, the comment before rows of a table, and the first statement before H2 2.
  {
    pattern:
      /-- H2 \d|-- \d+ \+\/- SELECT COUNT\(\*\) FROM |CREATE USER IF NOT EXISTS "[^"\n]*" (?:SALT|PASSWORD) '/y,
    family: 'h2',
    backslashesEscape: false,
  },
  { pattern: /PRAGMA\s|INSERT INTO "?sqlite_/iy, family: 'sqlite', backslashesEscape: false },
  {
    pattern:
      /GO[ \t]*\r?(?:\n|$)|USE\s+\[|SET\s+(?:ANSI_NULLS|ANSI_PADDING|QUOTED_IDENTIFIER|IDENTITY_INSERT|NOCOUNT|XACT_ABORT)\s|INSERT\s+(?:INTO\s+)?\[|CREATE\s+TABLE\s+\[/iy,
    family: 'mssql',
    backslashesEscape: false,
  },
];

/** PostgreSQL setting that a tool has commented out. By default, the setting has this value. */
const CONFORMING_COMMENT = /-- SET standard_conforming_strings = on;/y;

export function noteSigns(session: Session, text: string, pos: number): void {
  if (session.family === 'postgres' && session.backslashesEscape === undefined) {
    CONFORMING_COMMENT.lastIndex = pos;
    if (CONFORMING_COMMENT.test(text)) session.backslashesEscape = false;
  }
  if (session.backslashesEscape !== undefined) return;
  const sign = SIGNS.find(({ pattern }) => {
    pattern.lastIndex = pos;
    return pattern.test(text);
  });
  if (sign === undefined || session.family === 'postgres') return;
  // Backticks alone do not prove MySQL, because dumps of SQLite may have them too.
  if (session.family === 'mysql' && sign.backslashesEscape === undefined) return;
  becomes(session, sign.family, sign.backslashesEscape);
}

export function becomes(session: Session, family: Family, backslashesEscape?: boolean): void {
  session.family = family;
  session.backslashesEscape = backslashesEscape;
  session.atStart = backslashesEscape;
}

/** Handles `\connect` in a PostgreSQL dump, which opens another session with default settings. */
export function reconnect(session: Session): void {
  session.backslashesEscape = session.atStart;
  session.charset = undefined;
}

interface Assignment {
  name: string;
  /** Undefined unless SET assigns a single token. */
  value: Token | undefined;
}

/** Returns false if more of the SQL dump is needed. */
export function applySet(session: Session, window: Window, from: number, dialect: Dialect): boolean {
  const tokens = tokensOf(window, from, dialect, TOKENS_MAX);
  if (tokens === undefined) return false;
  const names = namesOf(tokens);
  if (names !== undefined) {
    setCharset(session, names);
    return true;
  }
  if (session.family === 'postgres') applyPostgres(session, tokens);
  else if (session.family === 'mysql' || session.family === 'standard')
    for (const one of assignmentsOf(tokens)) applyMysql(session, one);
  return true;
}

const TOKENS_MAX = 1000;

function namesOf([first, second, third]: readonly Token[]): string | undefined {
  if (first?.text === 'NAMES') return second?.name;
  if (first?.text === 'CHARSET') return second?.name;
  return first?.text === 'CHARACTER' && second?.text === 'SET' ? third?.name : undefined;
}

function setCharset(session: Session, name: string): void {
  session.charset = name.toLowerCase();
  session.variables.set('character_set_client', session.charset);
  session.saysUtf8 = session.family === 'mysql' && /^utf-?8/i.test(name);
}

function applyPostgres(session: Session, tokens: readonly Token[]): void {
  const rest = tokens[0]?.text === 'SESSION' || tokens[0]?.text === 'LOCAL' ? tokens.slice(1) : tokens;
  const [name, , value] = rest;
  if (name !== undefined && value !== undefined) setPostgres(session, name.name, value.name);
}

export function setPostgres(session: Session, name: string, value: string): void {
  if (/^standard_conforming_strings$/i.test(name)) {
    session.family = 'postgres';
    session.backslashesEscape = /^(?:off|false|no|0)$/i.test(value)
      ? true
      : /^(?:on|true|yes|1)$/i.test(value)
        ? false
        : undefined;
  } else if (/^client_encoding$/i.test(name)) {
    setCharset(session, value);
  }
}

export function resetPostgres(session: Session, name: string): void {
  if (/^(?:all|standard_conforming_strings)$/i.test(name)) session.backslashesEscape = session.atStart;
}

function assignmentsOf(tokens: readonly Token[]): Assignment[] {
  const found: Assignment[] = [];
  let item: Token[] = [];
  let depth = 0;
  const end = () => {
    const sign = item.findIndex(({ text }) => text === '=' || text === ':');
    const names = item.slice(0, sign).filter(({ text }) => text !== '.');
    const values = item.slice(sign + 1).filter(({ text }) => text !== '=');
    const isGlobal = names.some(({ text }) => /^(?:GLOBAL|@@GLOBAL|PERSIST\w*|@@PERSIST\w*)$/.test(text));
    const name = names.at(-1)?.name.toLowerCase().replace(/^@@/, '');
    if (sign > 0 && name !== undefined && !isGlobal) found.push({ name, value: oneValue(values) });
    item = [];
  };
  for (const token of tokens) {
    if (token.text === ',' && depth === 0) {
      end();
      continue;
    }
    if (token.text === '(') depth++;
    if (token.text === ')') depth--;
    item.push(token);
  }
  end();
  return found;
}

/** The three tokens of `@@session.sql_mode` are joined to one. */
function oneValue(values: readonly Token[]): Token | undefined {
  const [first, dot, last] = values;
  if (values.length === 1) return first;
  const isSession = first?.text === '@@SESSION' || first?.text === '@@LOCAL';
  return values.length === 3 && isSession && dot?.text === '.' && last !== undefined
    ? { ...last, kind: 'word', name: `@@${last.name}` }
    : undefined;
}

function applyMysql(session: Session, { name, value }: Assignment): void {
  const text = textOf(session, value);
  session.variables.set(name, text);
  if (name === 'sql_mode') {
    session.family = 'mysql';
    setMode(session, text);
    // mysqldump --compatible=ansi does not declare its encoding, which is latin1.
    const isDump = session.variables.has('@old_sql_mode');
    if (isDump && session.hasAnsiQuotes && session.charset === undefined) setCharset(session, UNSTATED);
  } else if (name === 'character_set_client') {
    // SET may restore the encoding with which the dump began, which is unknown unless declared.
    session.charset = text === AT_START || text === UNKNOWN ? undefined : text.toLowerCase();
  }
}

function textOf({ variables }: Session, value: Token | undefined): string {
  if (value === undefined || value.kind === 'other') return UNKNOWN;
  const isText = value.kind === 'string' || value.kind === 'name';
  if (isText || !value.name.startsWith('@'))
    return !isText && value.text === 'DEFAULT' ? AT_START : value.name;
  if (value.name.startsWith('@@')) return variables.get(value.name.slice(2).toLowerCase()) ?? AT_START;
  return variables.get(value.name.toLowerCase()) ?? UNKNOWN;
}

function setMode(session: Session, text: string): void {
  if (text === AT_START || text === UNKNOWN) {
    session.backslashesEscape = text === AT_START ? session.atStart : undefined;
    session.hasAnsiQuotes = false;
    return;
  }
  session.backslashesEscape = !/\bNO_BACKSLASH_ESCAPES\b/i.test(text);
  session.hasAnsiQuotes = /\b(?:ANSI_QUOTES|ANSI|DB2|MAXDB|MSSQL|ORACLE|POSTGRESQL)\b/i.test(text);
}

/** Encodings that need no decision of the operator: UTF-8, or names that do not determine an encoding. */
const NEUTRAL = /^(?:utf-?8.*|unicode|sql_ascii|ascii|us-ascii|binary|default|none|null|)$/i;
/** Encodings of SQL dumps in which a backslash may be the second byte of a character. */
const EMBEDS_BACKSLASHES =
  /^(?:gbk|gb18030|big5|sjis|shift_?jis.*|cp932|win932|johab|uhc|win949|win936|win950|mskanji)$/i;

export const foreignCharset = ({ charset }: Session): string | undefined =>
  charset === undefined || NEUTRAL.test(charset) ? undefined : charset;

/** Only MySQL's escapes depend on the encoding: other servers decode text before they look for quotes. */
export const lacksCharset = ({ family, charset }: Session): boolean =>
  family === 'mysql' && (charset === undefined || charset === UNSTATED);

export const embedsBackslashes = (charset: string): boolean => EMBEDS_BACKSLASHES.test(charset);
