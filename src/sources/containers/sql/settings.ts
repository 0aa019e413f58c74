import type { SqlDialect } from '../table.ts';
import { type Dialect, dialectWith, type Modes, TOLD } from './dialect.ts';
import { matchAt, type Token } from './tokens.ts';

/** Settings at the current statement, which statements and comments of the dump change. */
export interface Session extends Modes {
  /** `backslashesEscape` when a session begins, to which the dump may return. */
  atStart: boolean | undefined;
  /** Encoding that the dump declares, in lower case. */
  charset: string | undefined;
  /** Schema of table names without one: the database of MySQL's USE, or PostgreSQL's search_path. */
  schema: string | undefined;
  /**
   * Variables of MySQL that the dump sets, in lower case; its own ones include the `@`. Undefined: as when the
   * session begins. Null: only the server knows.
   */
  readonly variables: Map<string, string | null | undefined>;
}

/** Stands for the encoding of dumps by mysqldump --compatible=ansi, which do not declare theirs. */
const UNSTATED = 'an encoding that it does not name';

export function newSession(told: SqlDialect | undefined): Session {
  const { family, backslashesEscape } = told === undefined ? UNKNOWN : TOLD[told];
  return {
    family,
    backslashesEscape,
    atStart: backslashesEscape,
    hasAnsiQuotes: false,
    saysUtf8: false,
    delimiter: ';',
    charset: undefined,
    schema: undefined,
    variables: new Map(),
  };
}

const UNKNOWN = { family: 'standard', backslashesEscape: undefined } as const;

export const dialectOf = (session: Session): Dialect => dialectWith(session);

const POSTGRES_SETTINGS =
  'statement_timeout|lock_timeout|idle_in_transaction_session_timeout|transaction_timeout|client_encoding|standard_conforming_strings|check_function_bodies|xmloption|client_min_messages|row_security|default_tablespace|default_table_access_method|default_with_oids|search_path|session_replication_role|bytea_output|escape_string_warning';

/** Comments and beginnings of statements by which the system that wrote the dump is known. */
const SIGNS: readonly (readonly [RegExp, Pick<Modes, 'family' | 'backslashesEscape'>])[] = [
  // pg_dump shows its backslash setting later, in SET.
  [/-- PostgreSQL database/y, { family: 'postgres', backslashesEscape: undefined }],
  [/\\(?:(?:un)?restrict|connect) /y, { family: 'postgres', backslashesEscape: undefined }],
  [
    new RegExp(`SET\\s+(?:SESSION\\s+|LOCAL\\s+)?(?:${POSTGRES_SETTINGS})\\s*(?:=|TO\\s)`, 'iy'),
    { family: 'postgres', backslashesEscape: undefined },
  ],
  [/SELECT\s+pg_catalog\./iy, { family: 'postgres', backslashesEscape: undefined }],
  // mysqldump sets the SQL mode of its own session, so it always escapes with backslashes. Backticks prove
  // nothing, because dumps of SQLite may have them, too.
  [/-- (?:MySQL|MariaDB) dump|\/\*M?!\d/y, TOLD.mysql],
  [/PRAGMA\s|INSERT INTO "?sqlite_/iy, TOLD.sqlite],
  [
    /GO[ \t]*\r?(?:\n|$)|USE\s+\[|SET\s+(?:ANSI_NULLS|ANSI_PADDING|QUOTED_IDENTIFIER|IDENTITY_INSERT|NOCOUNT|XACT_ABORT)\s|INSERT\s+(?:INTO\s+)?\[|CREATE\s+TABLE\s+\[/iy,
    TOLD.mssql,
  ],
];

/** PostgreSQL setting that a tool has commented out. By default, the setting has this value. */
const CONFORMING_COMMENT = /-- SET standard_conforming_strings = on;/y;

/** Looks for a sign of the dialect at the beginning of a statement or comment. */
export function noteSigns(session: Session, text: string, pos: number): void {
  if (session.family === 'postgres' && matchAt(CONFORMING_COMMENT, text, pos) !== undefined)
    session.backslashesEscape ??= false;
  if (session.family !== 'standard') return;
  const sign = SIGNS.find(([pattern]) => matchAt(pattern, text, pos) !== undefined);
  if (sign !== undefined) Object.assign(session, sign[1], { atStart: sign[1].backslashesEscape });
}

/** Handles `\connect` in a PostgreSQL dump, which opens another session with default settings. */
export function reconnect(session: Session): void {
  session.backslashesEscape = session.atStart;
  session.charset = undefined;
  session.schema = undefined;
}

/** Applies the tokens after SET. */
export function applySet(session: Session, tokens: readonly Token[]): void {
  const [first, second, third] = tokens;
  const isCharset = first?.text === 'CHARACTER' && second?.text === 'SET';
  if (first?.text === 'NAMES' || first?.text === 'CHARSET') setCharset(session, second?.name ?? '');
  else if (isCharset) setCharset(session, third?.name ?? '');
  else {
    const isScoped = first?.text === 'SESSION' || first?.text === 'LOCAL';
    const [name, , value] = isScoped ? tokens.slice(1) : tokens;
    if (name?.text === 'SEARCH_PATH' || session.family === 'postgres')
      applyPostgres(session, name?.name ?? '', value?.name);
    else if (session.family !== 'mssql' && session.family !== 'sqlite') applyMysql(session, tokens);
  }
}

function setCharset(session: Session, name: string): void {
  session.charset = name.toLowerCase();
  session.variables.set('character_set_client', session.charset);
  session.saysUtf8 = session.family === 'mysql' && /^utf-?8/i.test(name);
}

/** @param value undefined for RESET */
export function applyPostgres(session: Session, name: string, value: string | undefined): void {
  if (/^search_path$/i.test(name)) {
    // pg_dump before 10.3 sets the search path, and names tables without their schema.
    session.schema = value === '' || value === 'pg_catalog' ? undefined : value;
  } else if (/^client_encoding$/i.test(name) && value !== undefined) {
    setCharset(session, value);
  } else if (/^(?:all|standard_conforming_strings)$/i.test(name)) {
    session.family = 'postgres';
    const isOn = /^(?:on|true|yes|1)$/i.test(value ?? '');
    const isKnown = isOn || /^(?:off|false|no|0)$/i.test(value ?? '');
    session.backslashesEscape = value === undefined ? session.atStart : isKnown ? !isOn : undefined;
  }
}

/** Reads assignments: `@OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='…'`. */
function applyMysql(session: Session, tokens: readonly Token[]): void {
  let item: Token[] = [];
  let depth = 0;
  const assign = () => {
    const sign = item.findIndex(({ text }) => text === '=' || text === ':');
    const names = item.slice(0, sign).filter(({ text }) => text !== '.');
    const value = item.slice(sign + 1).filter(({ text }) => text !== '=');
    const isGlobal = names.some(({ text }) => /^(?:GLOBAL|@@GLOBAL|PERSIST\w*|@@PERSIST\w*)$/.test(text));
    const name = names.at(-1)?.name.toLowerCase().replace(/^@@/, '');
    if (sign > 0 && name !== undefined && !isGlobal) setVariable(session, name, assigned(session, value));
    item = [];
  };
  for (const token of tokens) {
    if (token.text === '(') depth++;
    if (token.text === ')') depth--;
    if (token.text === ',' && depth === 0) assign();
    else item.push(token);
  }
  assign();
}

function assigned({ variables }: Session, value: readonly Token[]): string | null | undefined {
  const [first, dot, last] = value;
  // `@@session.sql_mode` has three tokens.
  const isSession =
    /^@@(?:SESSION|LOCAL)$/.test(first?.text ?? '') && dot?.text === '.' && value.length === 3;
  if (first === undefined || first.kind === 'other' || (value.length !== 1 && !isSession)) return null;
  const name = isSession ? `@@${last?.name}` : first.name;
  if (first.kind !== 'word' || !name.startsWith('@')) return first.text === 'DEFAULT' ? undefined : name;
  const key = name.toLowerCase().replace(/^@@/, '');
  return variables.has(key) || name.startsWith('@@') ? variables.get(key) : null;
}

function setVariable(session: Session, name: string, value: string | null | undefined): void {
  session.variables.set(name, value);
  if (name === 'character_set_client') session.charset = value?.toLowerCase();
  if (name !== 'sql_mode') return;
  session.family = 'mysql';
  session.backslashesEscape =
    value === undefined
      ? session.atStart
      : value === null
        ? undefined
        : !/\bNO_BACKSLASH_ESCAPES\b/i.test(value);
  session.hasAnsiQuotes = /\b(?:ANSI_QUOTES|ANSI|DB2|MAXDB|MSSQL|ORACLE|POSTGRESQL)\b/i.test(value ?? '');
  // mysqldump --compatible=ansi does not declare its encoding, which is latin1.
  if (session.variables.has('@old_sql_mode') && session.hasAnsiQuotes && session.charset === undefined)
    setCharset(session, UNSTATED);
}

/** Encodings that need no decision of the operator: UTF-8, or names that do not determine an encoding. */
const NEUTRAL = /^(?:utf-?8.*|unicode|sql_ascii|ascii|us-ascii|binary|default|none|null|)$/i;

export const foreignCharset = ({ charset }: Session): string | undefined =>
  charset === undefined || NEUTRAL.test(charset) ? undefined : charset;

/** Only MySQL's escapes depend on the encoding: other servers decode text before they look for quotes. */
export const lacksCharset = ({ family, charset }: Session): boolean =>
  family === 'mysql' && (charset === undefined || charset === UNSTATED);

/** Encodings in which a backslash may be the second byte of a character, with the names of TextDecoder. */
const EMBED_BACKSLASHES: readonly (readonly [RegExp, label: string])[] = [
  [/^(?:sjis|shift_?jis.*|cp932|win932|mskanji)$/i, 'shift_jis'],
  [/^(?:johab|uhc|win949)$/i, 'euc-kr'],
  [/^(?:gbk|win936)$/i, 'gbk'],
  [/^gb18030$/i, 'gb18030'],
  [/^(?:big5|win950)$/i, 'big5'],
];

/** Returns the label for `--encoding` if the meaning of backslashes depends on the declared encoding. */
export const labelIfAmbiguous = (charset: string | undefined): string | undefined =>
  EMBED_BACKSLASHES.find(([pattern]) => charset !== undefined && pattern.test(charset))?.[1];
