import { knownTable, type Mode, type Reader, type StatementReader } from './reader.ts';
import { scanOn } from './scan.ts';
import { startScan } from './scan-state.ts';
import { skipStatement } from './skip.ts';
import { commit, lastPartOf, noteChange, type Table } from './tables.ts';
import { type Token, tokenAt } from './tokens.ts';
import { isTooLong, placeOf, rewind, type Window } from './window.ts';

/**
 * Statements of an SQL dump that change earlier rows are not executed, so the tables that they name must not
 * be imported. Before the first row of a table they are ignored: most dumps begin with DROP, TRUNCATE or
 * DELETE.
 */

/** UPDATE, DELETE, TRUNCATE, DROP TABLE and similar statements change the SQL tables named before WHERE. */
export const changeStatement: StatementReader = (reader, window, end, then) => {
  if (reader.tables.met.size === 0) return skipStatement(reader, 'statement', then);
  const word = wordAt(window, end);
  return withStatement(reader, window, then, (limit) => {
    const tokens = tokensBetween(reader, window, end, limit);
    if (word === 'UPDATE' && tokens[0]?.text === 'STATISTICS') return;
    const where = tokens.findIndex(({ text }) => text === 'WHERE');
    const named = where === -1 ? tokens : tokens.slice(0, where);
    if (isOfWhole(word, tokens)) noteAll(reader, window, word, (table) => isWithin(table, tokens));
    else if (word === 'TRUNCATE' || word === 'DROP') {
      // Only the database server knows which other tables CASCADE affects, so all tables count as changed.
      const takesOthers =
        tokens.some(({ text }) => text === 'CASCADE') && namedTables(reader, tokens).length > 0;
      if (takesOthers) noteAll(reader, window, word, () => true);
      noteTables(reader, window, word, tokens);
    } else noteTables(reader, window, word, named);
  });
};

const isOfWhole = (word: string, [first]: readonly Token[]) =>
  word === 'DROP' && (first?.text === 'DATABASE' || first?.text === 'SCHEMA' || first?.text === 'OWNED');

function isWithin(table: Table, tokens: readonly Token[]): boolean {
  if (tokens[0]?.text === 'OWNED') return true;
  const schema = table.name.includes('.') ? table.name.slice(0, table.name.lastIndexOf('.')) : undefined;
  return tokens.some(
    ({ kind, name }) => kind !== 'other' && (name === schema || name === table.met?.database),
  );
}

/** Words in ALTER TABLE that change rows or names, whatever follows them. */
const CHANGING = new Set(['SWITCH', 'EXCHANGE', 'TRUNCATE', 'DETACH', 'DISCARD', 'IMPORT', 'CHANGE']);
/** Words after DROP in ALTER TABLE that do not change rows. Indexes are handled separately. */
const HARMLESS = new Set([
  'CONSTRAINT',
  'PRIMARY',
  'FOREIGN',
  'CHECK',
  'DEFAULT',
  'NOT',
  'EXPRESSION',
  'IDENTITY',
  'UNIQUE',
]);

/** Words that SQL allows between ALTER and TABLE, and before the name of the table. */
const AROUND_TABLE = new Set(['IGNORE', 'ONLINE', 'OFFLINE', 'TABLE', 'IF', 'EXISTS', 'ONLY']);

/** ALTER TABLE may rename a table, or rename, move or remove columns. */
export function alterStatement(skip: StatementReader): StatementReader {
  return (reader, window, end, then) => {
    if (reader.tables.byName.size === 0) return skip(reader, window, end, then);
    const first = tokenAt(window, end, reader.dialect);
    if (first === undefined) return undefined;
    if (!AROUND_TABLE.has(first.text) && first.text !== 'SCHEMA') return skip(reader, window, end, then);
    return withStatement(reader, window, then, (limit) => {
      const tokens = tokensBetween(reader, window, end, limit);
      // ALTER IGNORE TABLE removes rows that a new index does not allow.
      const changes = first.text === 'IGNORE' || changesRows(tokens);
      if (first.text === 'SCHEMA') {
        if (changes) noteAll(reader, window, 'ALTER SCHEMA', (table) => isWithin(table, tokens));
      } else if (changes || tokens.some((_, index) => movesColumnsAt(tokens, index))) {
        noteTables(reader, window, 'ALTER TABLE', tokens);
        forgetColumns(reader, tokens);
      } else if (tokens.some((_, index) => addsColumnAt(tokens, index))) forgetColumns(reader, tokens);
    });
  };
}

function changesRows(tokens: readonly Token[]): boolean {
  // In ALTER TABLE, USING gives an expression only after TYPE. Elsewhere it names an index or its kind.
  const type = tokens.findIndex(({ text }) => text === 'TYPE');
  const isExpression = ({ text }: Token, index: number) =>
    text === 'USING' && type >= 0 && type < index && tokens[index + 1]?.text !== 'INDEX';
  return tokens.some((token, index) => isExpression(token, index) || changesAt(tokens, index));
}

function changesAt(tokens: readonly Token[], index: number): boolean {
  const [word, next, afterNext] = tokens.slice(index, index + 3);
  if (word?.kind !== 'word') return false;
  // Columns may be named `key` or `index`: `RENAME key TO k`, `DROP key`, `CHANGE hash old text`.
  const isOfIndex = afterNext !== undefined && !/^(?:TO|CASCADE|RESTRICT|[,;])$/.test(afterNext.text);
  switch (word.text) {
    case 'RENAME':
      return !(isOfIndex && /^(?:INDEX|KEY|CONSTRAINT)$/.test(next?.text ?? ''));
    case 'DROP':
      if (next?.text === 'INDEX' || next?.text === 'KEY') return !isOfIndex;
      return !HARMLESS.has(next?.text ?? '');
    case 'SET':
      return next?.text === 'SCHEMA';
    default:
      return CHANGING.has(word.text);
  }
}

/** FIRST and AFTER move a column of MySQL: `MODIFY c text FIRST`. */
const movesColumnsAt = (tokens: readonly Token[], index: number): boolean => {
  const [word, next] = tokens.slice(index, index + 2);
  if (word?.kind !== 'word') return false;
  return word.text === 'FIRST'
    ? /^[,;]?$/.test(next?.text ?? '') && next?.kind !== 'name'
    : word.text === 'AFTER';
};

/** Words after ADD in ALTER TABLE that begin something other than a column. */
const NO_COLUMN =
  /^(?:CONSTRAINT|PRIMARY|UNIQUE|FOREIGN|CHECK|INDEX|KEY|FULLTEXT|SPATIAL|EXCLUDE|GENERATED|PARTITION|PERIOD|SYSTEM|DEFAULT)$/;

const addsColumnAt = (tokens: readonly Token[], index: number): boolean => {
  const [word, next] = tokens.slice(index, index + 2);
  return word?.kind === 'word' && word.text === 'ADD' && !NO_COLUMN.test(next?.text ?? '');
};

/**
 * After ALTER TABLE, rows without names of columns would be read under wrong names. They get numbers instead.
 */
function forgetColumns(reader: Reader, tokens: readonly Token[]): void {
  const parts: string[] = [];
  const from = tokens.findIndex(({ kind, text }) => kind !== 'word' || !AROUND_TABLE.has(text));
  for (let index = from; index >= 0 && index < tokens.length; index += 2) {
    parts.push(tokens[index]?.name ?? '');
    if (tokens[index + 1]?.text !== '.') break;
  }
  const table = knownTable(reader, parts);
  if (table === undefined || table.met !== undefined) return;
  table.created = undefined;
  reader.lastInsert = undefined;
}

const CHANGE_WORDS = /\b(?:INSERT|UPDATE|DELETE|TRUNCATE|MERGE|DROP|REPLACE|COPY|sp_rename)\b/i;
/** Matches a call of SQL Server that creates a routine from a text. */
const CREATES =
  /^EXEC\w*\s+(?:\[?\w+\]?\.)*\[?sp_executesql\]?\s+(?:@statement\s*=\s*)?N?'\s*(?:CREATE|ALTER)\s/i;

/** DO, CALL, EXEC or WITH may change anything: each SQL table whose name occurs in it counts as changed. */
export const opaqueStatement: StatementReader = (reader, window, end, then) => {
  if (reader.tables.met.size === 0) return skipStatement(reader, 'statement', then);
  const word = wordAt(window, end);
  return withStatement(reader, window, then, (limit) => {
    const text = window.text.slice(window.pos, limit);
    if (!CHANGE_WORDS.test(text) || CREATES.test(text)) return;
    const words = new Set(text.toLowerCase().match(/[\w$\x80-\xff]+/g));
    for (const [last, tables] of reader.tables.met) {
      const name = Buffer.from(last).toString('latin1');
      const isNamed = /^[\w$\x80-\xff]+$/.test(name) ? words.has(name) : text.toLowerCase().includes(name);
      if (isNamed) for (const table of tables) note(window, word, table);
    }
  });
};

/** Handles ROLLBACK in an SQL dump: the rows since the last COMMIT do not exist in the original database. */
export function noteRollback(reader: Reader, window: Window): void {
  for (const table of reader.tables.uncommitted) note(window, 'ROLLBACK', table);
  commit(reader.tables);
}

function note(window: Window, verb: string, table: Table): void {
  noteChange(table, `${verb} at ${placeOf(window, window.pos)} changes or removes rows before it`);
}

const wordAt = ({ text, pos }: Window, end: number) => text.slice(pos, end).toUpperCase();

/**
 * Calls `look` with the end of the SQL statement once all of it is in memory, and skips the statement. A
 * statement that is too long counts as a change of every table.
 */
function withStatement(
  reader: Reader,
  window: Window,
  then: Mode,
  look: (limit: number) => void,
): Mode | undefined {
  const start = window.pos;
  const scan = startScan('statement');
  const isWhole = scanOn(window, reader.dialect, scan) || window.isEnd;
  const limit = window.isEnd && scan.closing !== '' ? window.text.length : window.pos;
  rewind(window, start);
  if (isWhole) look(limit);
  else if (!isTooLong(window)) return undefined;
  else noteAll(reader, window, wordAt(window, start + 8), () => true);
  return skipStatement(reader, 'statement', then);
}

function tokensBetween({ dialect }: Reader, window: Window, from: number, limit: number): Token[] {
  const tokens: Token[] = [];
  for (let token = tokenAt(window, from, dialect); token !== undefined && token.start < limit; ) {
    tokens.push(token);
    token = tokenAt(window, token.end, dialect);
  }
  return tokens;
}

/** A name without a schema matches SQL tables in any schema. */
function namedTables(reader: Reader, tokens: readonly Token[]): Table[] {
  const { tables, database } = reader;
  return tokens.flatMap((token, index) => {
    if (token.kind !== 'word' && token.kind !== 'name') return [];
    const isQualified = tokens[index - 1]?.text === '.';
    const schema = isQualified ? tokens[index - 2]?.name : reader.schema;
    const same = tables.met.get(lastPartOf(token.name)) ?? [];
    return same.filter(({ name, met }) => {
      const parts = name.split('.');
      const isOfSchema = schema === undefined || parts.length === 1 || parts.at(-2) === schema;
      return isOfSchema && met?.database === database;
    });
  });
}

function noteTables(reader: Reader, window: Window, verb: string, tokens: readonly Token[]): void {
  for (const table of namedTables(reader, tokens)) note(window, verb, table);
}

function noteAll(reader: Reader, window: Window, verb: string, which: (table: Table) => boolean): void {
  for (const table of [...reader.tables.met.values()].flat()) if (which(table)) note(window, verb, table);
}
