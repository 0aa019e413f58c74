import { type Mode, type Session, setDialect, UNSTATED } from './dialects.ts';
import type { Token } from './tokens.ts';

/** Applies the tokens after SET: `NAMES utf8`, `search_path = a, b`, `@old = @@sql_mode, sql_mode = ''`. */
export function applySet(session: Session, tokens: readonly Token[]): void {
  const [first, second, third] = tokens;
  if (first?.text === 'NAMES' || first?.text === 'CHARSET') setCharset(session, second?.name);
  else if (first?.text === 'CHARACTER' && second?.text === 'SET') setCharset(session, third?.name);
  else for (const item of itemsOf(tokens)) assign(session, item);
}

function assign(session: Session, item: readonly Token[]): void {
  const sign = item.findIndex(({ text }) => text === '=' || text === ':' || text === 'TO');
  const value = item.slice(sign + 1).filter(({ text }) => text !== '=');
  const names = item.slice(0, Math.max(0, sign)).map(({ name }) => name.toLowerCase().replace(/^@@/, ''));
  const name = names.at(-1) ?? '';
  if (names.some((scope) => scope === 'global' || scope.startsWith('persist'))) return;
  if (name.startsWith('@')) session.saved.set(name, modeOf(session, value));
  else if (name === 'sql_mode') setMode(session, modeOf(session, value));
  else applyPostgres(session, name, value[0]?.name);
}

/**
 * Applies a setting of PostgreSQL.
 * @param value undefined for RESET
 */
export function applyPostgres(session: Session, setting: string, value: string | undefined): void {
  const name = setting.toLowerCase();
  if (name === 'search_path') {
    // pg_dump before 10.3 sets the search path, and then names tables without their schema.
    session.schema = value === '' || value === 'pg_catalog' ? undefined : value;
  } else if (name === 'client_encoding') {
    if (value !== undefined) setCharset(session, value);
  } else if (name === 'standard_conforming_strings' || name === 'all') {
    setDialect(session, 'postgres');
    const isOn = /^(?:on|true|yes|1)$/i.test(value ?? '');
    const isKnown = isOn || /^(?:off|false|no|0)$/i.test(value ?? '');
    session.hasEscapes = value === undefined ? session.start.hasEscapes : isKnown ? !isOn : undefined;
  }
}

/** Splits tokens at the commas that are not in further parentheses. */
export function itemsOf(tokens: readonly Token[]): Token[][] {
  const items: Token[][] = [[]];
  for (const token of tokens)
    if (token.text === ',' && token.depth === tokens[0]?.depth) items.push([]);
    else items.at(-1)?.push(token);
  return items;
}

/** Returns the SQL mode that a value of SET stands for. Undefined if only the server knows it. */
function modeOf(session: Session, value: readonly Token[]): Mode | undefined {
  const [first] = value;
  const text = value.map((token) => token.name || token.text).join('');
  if (first?.kind === 'word') {
    if (/^@@(?:session\.|local\.)?sql_mode$/i.test(text)) return modeIn(session);
    if (text.startsWith('@')) return session.saved.get(text.toLowerCase());
    if (first.text === 'DEFAULT') return session.start;
  }
  if (value.length !== 1 || first?.kind === 'other') return undefined;
  return {
    hasEscapes: !/\bNO_BACKSLASH_ESCAPES\b/i.test(text),
    hasAnsiQuotes: /\b(?:ANSI_QUOTES|ANSI|DB2|MAXDB|MSSQL|ORACLE|POSTGRESQL)\b/i.test(text),
  };
}

const modeIn = ({ hasEscapes, hasAnsiQuotes }: Mode): Mode => ({ hasEscapes, hasAnsiQuotes });

function setMode(session: Session, mode: Mode | undefined): void {
  setDialect(session, 'mysql');
  session.hasEscapes = mode?.hasEscapes;
  session.hasAnsiQuotes = mode?.hasAnsiQuotes ?? false;
  // mysqldump --compatible=ansi does not declare its encoding, which is latin1.
  if (session.saved.has('@old_sql_mode') && session.hasAnsiQuotes) session.charset ??= UNSTATED;
}

function setCharset(session: Session, name = ''): void {
  session.charset = name.toLowerCase();
}

/** Handles `\connect` in a PostgreSQL dump, which opens another session with default settings. */
export function reconnect(session: Session): void {
  session.hasEscapes = session.start.hasEscapes;
  session.charset = undefined;
  session.schema = undefined;
}

/** Objects of a database whose definitions hold no rows. */
const OBJECTS =
  'ACCESS METHOD|AGGREGATE|AUTHORIZATION|CAST|COLLATION|CONVERSION|DEFAULT PRIVILEGES|EVENT|EVENT TRIGGER|FOREIGN DATA WRAPPER|FULLTEXT|FUNCTION|GROUP|INDEX|LANGUAGE|LARGE OBJECT|LOGIN|MATERIALIZED VIEW|OPERATOR|PARTITION|POLICY|PROCEDURAL LANGUAGE|PROCEDURE|PROC|PUBLICATION|ROLE|RULE|SEQUENCE|SERVER|STATISTICS|SUBSCRIPTION|SYNONYM|SYSTEM|TABLESPACE|TEXT SEARCH|TRIGGER|UNIQUE INDEX|USER|VIEW';
/** Procedures of SQL Server that describe tables or create routines. */
const PROCEDURES =
  "^(?:\\S+ \\. )*\\??(?:SP_ADD\\w*|SP_CHANGEDBOWNER|SP_DB\\w*|SP_FULLTEXT_\\w+|SP_TABLEOPTION|SP_EXECUTESQL (?:@STATEMENT = )?(?:N )?'(?:CREATE|ALTER)) ";

/** First words of statements of dumps that change no rows, whatever follows. */
const ALWAYS_HARMLESS =
  'ANALYZE BEGIN CLUSTER COMMIT DBCC DEALLOCATE DENY DISCARD END FLUSH GRANT INSTALL LOCK OPTIMIZE PRAGMA PRINT REINDEX RELEASE RESET REVOKE SAVEPOINT SET UNLOCK USE VACUUM'.split(
    ' ',
  );

/**
 * Other statements of dumps that change no rows. The patterns match the words after the first one: in upper case, with
 * `?` before quoted names, `'` and the first word for texts, and nothing within parentheses.
 */
const HARMLESS: Readonly<Record<string, RegExp>> = {
  CHANGE: /^(?:MASTER|REPLICATION) /,
  COMMENT: /^ON /,
  // MariaDB's dumps set the next value of a sequence like this.
  DO: /^SETVAL \( \) $/,
  EXEC: new RegExp(PROCEDURES),
  // Percona's mysqldump asks whether the server has RocksDB: PREPARE s FROM @…; EXECUTE s;
  EXECUTE: new RegExp(`${PROCEDURES}|^S $`),
  PREPARE: /^S FROM @\w*ROCKSDB\w* $/,
  REFRESH: /^MATERIALIZED /,
  SECURITY: /^LABEL /,
  SELECT:
    /^(?:\* FROM )?(?:PG_CATALOG \. )?(?:SETVAL|SET_CONFIG|LO_\w+|LOWRITE|PG_RESTORE_\w+|PG_EXTENSION_CONFIG_DUMP) \( \) $|^COUNT \( \) INTO @/,
  START: /^(?:TRANSACTION|SLAVE|REPLICA) /,
  STOP: /^(?:SLAVE|REPLICA) /,
  // Older versions of pg_dumpall set properties of databases by UPDATE of pg_catalog.
  UPDATE: /^(?:STATISTICS|PG_CATALOG \.) /,
};

/** Statements that may remove rows. Most dumps begin with them, and they are harmless before the rows. */
const REMOVALS = 'ABORT DELETE DROP IF ROLLBACK TRUNCATE'.split(' ');
const CHANGES = /^(?:INSERT|UPDATE|DELETE|MERGE|TRUNCATE|EXEC|EXECUTE|ALTER)$/;
const DROPS_NO_ROWS = new RegExp(`^(?:${OBJECTS}) `);

const ALTERS_OBJECT = new RegExp(
  `^(?:(?:${OBJECTS}|DATABASE|DOMAIN|EXTENSION|TYPE) (?!.* RENAME )|SCHEMA \\S+ OWNER )`,
);
const ALTERS_TABLE = /^(?:FOREIGN )?TABLE (?:IF EXISTS )?(?:ONLY )?\S+(?: \. \S+)* (?:\* )?/;

/** Parts of ALTER TABLE that change neither rows nor the order and the names of columns. */
const ACTIONS: readonly RegExp[] = [
  /^(?:WITH (?:NO)?CHECK )?(?:ADD )?(?:CONSTRAINT|PRIMARY|UNIQUE|FOREIGN|CHECK|INDEX|KEY|FULLTEXT|SPATIAL|EXCLUDE|PARTITION|DEFAULT) /,
  /^ALTER (?:COLUMN )?\S+ (?:SET (?:DEFAULT|NOT NULL|STATISTICS|STORAGE|COMPRESSION|GENERATED|\() ?|RESET |DROP (?:DEFAULT|NOT NULL|IDENTITY) |ADD GENERATED |RESTART )/,
  /^DROP (?:CONSTRAINT|PRIMARY KEY|FOREIGN KEY|CHECK) /,
  /^DROP (?:INDEX|KEY) (?!CASCADE|RESTRICT)\S/,
  /^(?:ENABLE|DISABLE) (?:KEYS|TRIGGER|RULE|ALWAYS|REPLICA|ROW LEVEL SECURITY|CHANGE_TRACKING) /,
  /^(?:NO )?FORCE ROW LEVEL SECURITY /,
  /^(?:ATTACH PARTITION|CLUSTER ON|INHERIT|NOCHECK|OWNER TO|REPLICA IDENTITY|RESET|VALIDATE CONSTRAINT) /,
  /^SET (?:\(|LOGGED|UNLOGGED|TABLESPACE|ACCESS METHOD|WITHOUT (?:CLUSTER|OIDS)) /,
  /^RENAME (?:INDEX|KEY|CONSTRAINT) \S+ TO \S/,
  // phpMyAdmin adds AUTO_INCREMENT after the rows.
  /^MODIFY (?:COLUMN )?(?!.* (?:FIRST|AFTER) ).* AUTO_INCREMENT /,
  /^(?:AUTO_INCREMENT|COMMENT|ENGINE|ROW_FORMAT) (?:= )?\S+ $/,
];

/**
 * Whether a statement changes neither rows nor the columns of tables.
 * @param tokens tokens after the first word
 */
export function isHarmless(verb: string, tokens: readonly Token[]): boolean {
  const rest = wordsOf(tokens);
  if (verb === 'ALTER') {
    const table = ALTERS_TABLE.exec(rest)?.[0];
    if (table === undefined) return ALTERS_OBJECT.test(rest);
    const actions = rest.slice(table.length).split(/(?<= ), /);
    return actions.every((action) => ACTIONS.some((pattern) => pattern.test(action)));
  }
  if (verb === 'DROP') return DROPS_NO_ROWS.test(rest);
  if (ALWAYS_HARMLESS.includes(verb)) return true;
  return Object.hasOwn(HARMLESS, verb) && HARMLESS[verb]?.test(rest) === true;
}

/** Whether a statement only removes rows or tables, so that it is harmless before their rows. */
export const isRemoval = (verb: string, tokens: readonly Token[]): boolean =>
  REMOVALS.includes(verb) && !(verb === 'IF' && tokens.some(({ text }) => CHANGES.test(text)));

/** First words of statements that are read or refused. Any other word shows that a text has ended too early. */
const OTHERS =
  'INSERT REPLACE COPY CREATE ALTER BULK CALL DECLARE EXPLAIN HANDLER IMPORT LOAD MERGE RENAME SHOW TABLE VALUES WHILE WITH'.split(
    ' ',
  );

export const isStatement = (verb: string): boolean =>
  Object.hasOwn(HARMLESS, verb) || [ALWAYS_HARMLESS, REMOVALS, OTHERS].some((verbs) => verbs.includes(verb));

function wordsOf(tokens: readonly Token[]): string {
  let words = '';
  for (const { kind, text, name, depth } of tokens) {
    if (depth !== 0) continue;
    if (kind === 'string') words += `'${/^\s*(\w*)/.exec(name)?.[1]?.toUpperCase() ?? ''} `;
    else words += kind === 'name' ? `?${name.replaceAll(/\W/g, '').toUpperCase()} ` : `${text || '$'} `;
  }
  return words;
}
