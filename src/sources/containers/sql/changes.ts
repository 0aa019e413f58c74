import type { Mode, Reader, StatementReader } from './reader.ts';
import { scanOn } from './scan.ts';
import { startScan } from './scan-state.ts';
import { skipStatement } from './skip.ts';
import { commit, lastPartOf, noteChange, type Table } from './tables.ts';
import { type Token, tokenAt } from './tokens.ts';
import { isTooLong, placeOf, rewind, type Window } from './window.ts';

/**
 * Statements that change rows which stand before them are not carried out: the tables they name must not be read. Before its first
 * row nothing can happen to a table, so that the DROP, TRUNCATE and DELETE with which dumps begin count for nothing.
 */

/** UPDATE, DELETE, TRUNCATE, DROP TABLE and others: they change the tables that they name before WHERE. */
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
      // What else goes with it, only the server knows.
      const takesOthers =
        tokens.some(({ text }) => text === 'CASCADE') && namedTables(reader, tokens).length > 0;
      if (takesOthers) noteAll(reader, window, word, () => true);
      noteTables(reader, window, word, tokens);
    } else noteTables(reader, window, word, named);
  });
};

/** DROP DATABASE and DROP SCHEMA. */
const isOfWhole = (word: string, [first]: readonly Token[]) =>
  word === 'DROP' && (first?.text === 'DATABASE' || first?.text === 'SCHEMA' || first?.text === 'OWNED');

function isWithin(table: Table, tokens: readonly Token[]): boolean {
  if (tokens[0]?.text === 'OWNED') return true;
  const schema = table.name.includes('.') ? table.name.slice(0, table.name.lastIndexOf('.')) : undefined;
  return tokens.some(
    ({ kind, name }) => kind !== 'other' && (name === schema || name === table.met?.database),
  );
}

/** What ALTER TABLE does to rows, or to the names that they are read by. */
const CHANGING = new Set([
  'RENAME',
  'SWITCH',
  'EXCHANGE',
  'TRUNCATE',
  'DETACH',
  'DISCARD',
  'IMPORT',
  'CHANGE',
  'USING',
]);
/** What may be dropped without a change to rows. */
const HARMLESS = new Set([
  'CONSTRAINT',
  'INDEX',
  'KEY',
  'PRIMARY',
  'FOREIGN',
  'CHECK',
  'DEFAULT',
  'NOT',
  'EXPRESSION',
  'IDENTITY',
  'UNIQUE',
]);

/** ALTER: of a table, it may be renamed or lose columns. */
export function alterStatement(skip: StatementReader): StatementReader {
  return (reader, window, end, then) => {
    if (reader.tables.met.size === 0) return skip(reader, window, end, then);
    const first = tokenAt(window, end, reader.dialect);
    if (first === undefined) return undefined;
    if (first.text !== 'TABLE' && first.text !== 'SCHEMA') return skip(reader, window, end, then);
    return withStatement(reader, window, then, (limit) => {
      const tokens = tokensBetween(reader, window, end, limit);
      const changes = tokens.some(
        ({ kind, text }, index) =>
          kind === 'word' &&
          ((CHANGING.has(text) && !isOfIndex(tokens[index + 1])) ||
            (text === 'DROP' && !HARMLESS.has(tokens[index + 1]?.text ?? ''))),
      );
      if (!changes) return;
      if (first.text === 'SCHEMA')
        noteAll(reader, window, 'ALTER SCHEMA', (table) => isWithin(table, tokens));
      else noteTables(reader, window, 'ALTER TABLE', tokens);
    });
  };
}

/** `RENAME INDEX a TO b`; `ADD PRIMARY KEY USING INDEX i`, `ADD KEY k (c) USING BTREE` */
const isOfIndex = (token: Token | undefined) =>
  token !== undefined && /^(?:INDEX|KEY|CONSTRAINT|BTREE|HASH|GIN|GIST|BRIN|SPGIST)$/.test(token.text);

const CHANGE_WORDS = /\b(?:INSERT|UPDATE|DELETE|TRUNCATE|MERGE|DROP|REPLACE|COPY|sp_rename)\b/i;
/** A routine of SQL Server that is created by a text. */
const CREATES =
  /^EXEC\w*\s+(?:\[?\w+\]?\.)*\[?sp_executesql\]?\s+(?:@statement\s*=\s*)?N?'\s*(?:CREATE|ALTER)\s/i;

/** DO, CALL, EXEC, WITH and others that may change anything: the tables whose names stand anywhere in them. */
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

/** ROLLBACK: rows since the last COMMIT were never there. */
export function noteRollback(reader: Reader, window: Window): void {
  for (const table of reader.tables.uncommitted) note(window, 'ROLLBACK', table);
  commit(reader.tables);
}

function note(window: Window, verb: string, table: Table): void {
  noteChange(table, `${verb} at ${placeOf(window, window.pos)} changes or removes rows that stand before it`);
}

const wordAt = ({ text, pos }: Window, end: number) => text.slice(pos, end).toUpperCase();

/**
 * Looks at a statement as soon as all of it is in the window, and passes over it. One that is too long may change every table.
 * @param look gets the place where the statement ends
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

/** The tables with rows whose names stand among the tokens. A name without schema may be of any. */
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
