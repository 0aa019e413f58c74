import type { ColumnKind } from './bytes.ts';
import type { Dialect } from './dialect.ts';
import { type Input, LOOKAHEAD, MORE, more } from './input.ts';
import { type Reader, removesRows, sessionChanged, tableOf } from './reader.ts';
import { beginRows, copyRows, insertRows, refuseFormat, shapesOf, withoutGenerated } from './rows.ts';
import { applyPostgres, applySet, noteSigns, reconnect } from './settings.ts';
import { notRead, skip, statementEnd } from './skip.ts';
import { isHarmless, isRemoval, isStatement } from './statement-list.ts';
import type { Column } from './tables.ts';
import {
  Cursor,
  executableAt,
  matchAt,
  NeedsMore,
  spanAt,
  spanEnd,
  type Token,
  tokensBetween,
} from './tokens.ts';

/** Includes the end-of-file character of DOS. */
const BETWEEN = new RegExp(`[\\s;${String.fromCharCode(26)}]*`, 'y');
const WORD = /[A-Za-z_]{1,64}/y;

/** Reads a dump statement by statement. Yields while more of it must be in memory. */
export function* readStatements(reader: Reader): Generator<void> {
  const { input } = reader;
  for (;;) {
    input.pos += matchAt(BETWEEN, input.text, input.pos)?.length ?? 0;
    const { text, pos } = input;
    if (input.endsAt(pos)) return;
    if (!input.isEnd && text.length - pos < LOOKAHEAD) {
      yield;
      continue;
    }
    const { lastInsert } = reader;
    if (lastInsert !== undefined && text.startsWith(lastInsert.text, pos)) {
      yield* insertRows(reader, lastInsert);
      continue;
    }
    if (reader.dialect.isUnsure) {
      noteSigns(reader.session, text, pos);
      sessionChanged(reader);
    }
    const isComment = yield* readComment(reader);
    if (!isComment) yield* readStatement(reader);
  }
}

/** Error output of dump programs that was redirected into the dump. */
const NOISE =
  /(?:mysqldump|mysqlpump|mariadb-dump|pg_dump|pg_dumpall|sqlite3|psql): |(?:Warning|WARNING|Enter password|Password): ?/y;
const BEGINS = /^-- (?:PostgreSQL database(?: cluster)? dump\s*$|(?:MySQL|MariaDB) dump \d)/;
const ENDS = /^-- (?:PostgreSQL database(?: cluster)? dump complete\s*$|Dump completed)/;

/** Also reads lines that are not statements. Returns false, and reads nothing, for anything else. */
function* readComment(reader: Reader): Generator<void, boolean> {
  const { input, dialect } = reader;
  const { text, pos } = input;
  const executable = executableAt(input, pos, dialect);
  if (text.startsWith('\\', pos)) yield* readCommand(reader);
  else if (dialect.delimiter !== ';' && text.startsWith(dialect.delimiter, pos))
    input.pos += dialect.delimiter.length;
  else if (dialect.hasExecutableComments && text.startsWith('*/', pos)) input.pos += 2;
  else if (executable > 0) {
    input.pos = executable;
    // MySQL's executable CREATE is for routines and placeholders of views, which have no rows.
    if (CREATE.test(text.slice(executable, executable + LOOKAHEAD))) yield* skipStatement(reader);
  } else if (text.startsWith('/*', pos)) {
    yield* skipComment(reader);
  } else if (
    text.startsWith('#', pos) ||
    spanAt(input, pos, dialect)?.closing === '\n' ||
    matchAt(NOISE, text, pos) !== undefined
  ) {
    const line = lineAt(input);
    if (BEGINS.test(line)) reader.dumps++;
    else if (ENDS.test(line)) reader.dumps = Math.max(0, reader.dumps - 1);
    yield* skipLine(input);
  } else return false;
  return true;
}

const CREATE = /^\s*CREATE\b/i;

const lineAt = ({ text, pos }: Input): string => text.slice(pos, pos + LOOKAHEAD).split(/\r?\n/, 1)[0] ?? '';

function* skipLine(input: Input): Generator<void> {
  let found = input.text.indexOf('\n', input.pos);
  while (found === -1) {
    input.pos = input.text.length;
    // The last line of a file needs no line break.
    if (input.isEnd) return;
    yield;
    found = input.text.indexOf('\n', input.pos);
  }
  input.pos = found + 1;
}

function* skipComment({ input, dialect }: Reader): Generator<void> {
  const comment = spanAt(input, input.pos, dialect);
  if (comment === undefined) return;
  input.pos += comment.open;
  let end = spanEnd(input, comment, input.pos, dialect);
  while (end === MORE) {
    input.pos = comment.resumed;
    yield* more(input);
    end = spanEnd(input, comment, input.pos, dialect);
  }
  input.pos = end;
}

/** Commands of psql. Others than these read files or decide what is run, so they stop the import. */
const COMMANDS = /^(?:c|connect|restrict|unrestrict|encoding|echo|qecho|pset|set|unset|timing)$/;

/** `\connect` opens another session. */
function readCommand(reader: Reader): Generator<void> {
  const { input, session } = reader;
  const [, command = '', argument = ''] = /^\\(\w*)\s*(.*)$/.exec(lineAt(input)) ?? [];
  if (!COMMANDS.test(command)) throw input.unreadable(input.pos, `\\${command}`);
  if (command === 'c' || command === 'connect') {
    reader.database =
      /-reuse-previous=on "dbname='?([^'"]+)/.exec(argument)?.[1] ?? argument.trim().replaceAll('"', '');
    reconnect(session);
  } else if (command === 'encoding') {
    applyPostgres(session, 'client_encoding', argument.trim().replaceAll("'", ''));
  }
  reader.lastInsert = undefined;
  sessionChanged(reader);
  return skipLine(input);
}

function* skipStatement(reader: Reader): Generator<void> {
  const { input, dialect } = reader;
  const hasEnd = yield* skip(input, dialect, 'statement');
  if (!hasEnd && !mayEndWithFile(reader)) yield* more(input);
}

/** Only the client knows MySQL's DELIMITER, and scripts of SQL Server rarely use semicolons. */
const mayEndWithFile = ({ dialect }: Reader) => dialect.hasGoLines || dialect.delimiter !== ';';

function* readStatement(reader: Reader): Generator<void> {
  const { input, dialect } = reader;
  const word = matchAt(WORD, input.text, input.pos) ?? '';
  const verb = word.toUpperCase();
  // The file was truncated within the first word or sign of the statement.
  const endsWithFile = input.endsAt(input.pos + Math.max(1, word.length));
  if (endsWithFile && verb !== 'GO' && !(mayEndWithFile(reader) && isStatement(verb))) yield* more(input);
  if (verb === 'DELIMITER') return yield* setDelimiter(reader);
  if (verb === 'GO') return yield* skipLine(input);
  const isOfRows = verb === 'INSERT' || verb === 'REPLACE' || verb === 'COPY';
  if (isOfRows && dialect.delimiter !== ';')
    throw input.unreadable(input.pos, `${verb} with another DELIMITER`);
  if (verb === 'COPY') return yield* readCopy(reader);
  if (isOfRows) return yield* readInsert(reader);
  if (verb === 'CREATE' || (verb === 'ALTER' && dialect.hasGoLines)) {
    const isRead = yield* readDefinition(reader);
    if (isRead) return;
  }
  if (!isStatement(verb)) throw input.unreadable(input.pos, 'The text');
  yield* readOther(reader, verb);
}

/** MySQL dumps enclose bodies of routines, which have semicolons, in `DELIMITER ;;` and `DELIMITER ;`. */
function setDelimiter(reader: Reader): Generator<void> {
  const { session } = reader;
  session.delimiter = /^\w+[ \t]+(\S{1,16})/.exec(lineAt(reader.input))?.[1] ?? ';';
  if (session.family !== 'mysql') session.atStart = session.backslashesEscape;
  session.family = 'mysql';
  sessionChanged(reader);
  return skipLine(reader.input);
}

/** Maximum length of a statement without its rows. */
const HEAD_MAX_BYTES = 1024 * 1024;

/** Reads the head of a statement, as soon as it is in memory. */
function* headOf<Head>(
  { input, dialect }: Reader,
  read: (cursor: Cursor) => Head,
): Generator<void, { head: Head; end: number }> {
  for (;;) {
    try {
      const cursor = new Cursor(input, input.pos, dialect);
      return { head: read(cursor), end: cursor.pos };
    } catch (error) {
      if (!(error instanceof NeedsMore)) throw error;
    }
    if (input.text.length - input.pos > HEAD_MAX_BYTES) throw notRead(input, input.pos, 'The long statement');
    yield* more(input);
  }
}

const INSERT_MODIFIERS = 'INTO IGNORE OR ABORT FAIL LOW_PRIORITY DELAYED HIGH_PRIORITY'.split(' ');

function* readInsert(reader: Reader): Generator<void> {
  const { input, dialect } = reader;
  const { head, end } = yield* headOf(reader, takeInsert);
  if (head === undefined) throw notRead(input, input.pos, 'INSERT without VALUES');
  const table = tableOf(reader, head.table);
  reader.lastInsert = {
    text: input.text.slice(input.pos, end),
    table,
    shapes: shapesOf(head.columns, table.created, dialect.saysUtf8),
    replaces: head.replaces,
  };
  yield* insertRows(reader, reader.lastInsert);
}

/** Reads up to VALUES. Returns undefined for an INSERT without. */
function takeInsert(cursor: Cursor) {
  let replaces = cursor.next().text === 'REPLACE';
  for (;;) {
    if (cursor.takes('REPLACE')) replaces = true;
    else if (!cursor.takes(...INSERT_MODIFIERS)) break;
  }
  const table = cursor.takeName();
  const hasNames = cursor.peek().text === '(';
  const columns = hasNames ? cursor.takeNames() : undefined;
  // `INSERT INTO t (a) OVERRIDING SYSTEM VALUE VALUES (1)`
  if (cursor.takes('OVERRIDING')) for (let words = 0; words < 2; words++) cursor.next();
  const isReadable =
    table !== undefined && (columns !== undefined || !hasNames) && cursor.takes('VALUES', 'VALUE');
  return isReadable ? { table, columns, replaces } : undefined;
}

/**
 * Reads COPY … FROM stdin and its rows. COPY … TO has none.
 * @throws FileProblem FILE_INVALID if the rows are in the CSV or binary format instead of the text format
 */
function* readCopy(reader: Reader): Generator<void> {
  const { input, session, tables } = reader;
  const { head, end } = yield* headOf(reader, takeCopy);
  if (head === 'to') return yield* skipStatement(reader);
  if (head === undefined) throw notRead(input, input.pos, 'COPY without rows');
  if (!head.isText) throw refuseFormat();
  if (session.family === 'standard') session.family = 'postgres';
  sessionChanged(reader);
  const table = tableOf(reader, head.table);
  beginRows(reader, table, 'COPY');
  const columns = head.columns ?? (table.created && withoutGenerated(table.created).map(({ name }) => name));
  input.pos = end;
  yield* skipLine(input);
  tables.begin(table, columns ?? []);
  yield* copyRows(reader, table, columns);
}

function takeCopy(cursor: Cursor) {
  cursor.next();
  if (cursor.peek().text === '(') return 'to';
  const table = cursor.takeName();
  const columns = cursor.peek().text === '(' ? cursor.takeNames() : undefined;
  if (cursor.takes('TO')) return 'to';
  if (table === undefined || !cursor.takes('FROM') || !cursor.takes('STDIN')) return undefined;
  return { table, columns, isText: cursor.next().kind === 'end' };
}

const MODIFIERS = 'OR REPLACE ALTER TEMP TEMPORARY GLOBAL LOCAL UNLOGGED FOREIGN CONSTRAINT VIRTUAL'.split(
  ' ',
);
/** Objects whose definition may contain statements, so that a semicolon need not end it. */
const ROUTINE = /^(?:FUNCTION|PROCEDURE|PROC|TRIGGER|RULE)$/;

/** Reads CREATE, and in scripts of SQL Server ALTER. Returns false, and reads nothing, for other statements. */
function* readDefinition(reader: Reader): Generator<void, boolean> {
  const { input, dialect, tables } = reader;
  const start = input.pos;
  const { head, end } = yield* headOf(reader, (cursor) => takeDefinition(cursor, dialect));
  if (head.verb === 'ALTER' && !ROUTINE.test(head.object) && head.object !== 'VIEW') return false;
  if (dialect.hasGoLines && (ROUTINE.test(head.object) || head.object === 'VIEW')) {
    yield* skip(input, dialect, 'batch');
    return true;
  }
  if (ROUTINE.test(head.object) && dialect.delimiter === ';') {
    const hasEnd = yield* skip(input, dialect, 'routine');
    if (!hasEnd) yield* more(input);
    return true;
  }
  if (head.table === undefined) {
    yield* skipStatement(reader);
    return true;
  }
  const table = tableOf(reader, head.table);
  if (table.filledBy !== undefined && !head.isConditional)
    throw notRead(input, start, 'CREATE TABLE, after rows of the table,');
  // CREATE TABLE may have no columns of its own: `CREATE TABLE a (LIKE b)`.
  if (head.columns.length > 0 && !(head.isConditional && table.created !== undefined))
    tables.create(table, head.columns);
  reader.lastInsert = undefined;
  input.pos = end;
  const rest = yield* restOfStatement(reader);
  if (rest.tokens.some(({ text }) => text === 'SELECT'))
    throw notRead(input, input.pos, 'CREATE TABLE with SELECT');
  input.pos = rest.end;
  return true;
}

/** Reads CREATE or ALTER up to the columns of a table. */
function takeDefinition(cursor: Cursor, dialect: Dialect) {
  const verb = cursor.next().text;
  while (cursor.takes(...MODIFIERS));
  const object = cursor.next().text;
  if (object !== 'TABLE' || verb === 'ALTER') return { verb, object, columns: [], isConditional: false };
  const isConditional = cursor.takes('IF');
  while (cursor.takes('NOT', 'EXISTS'));
  const table = cursor.takeName();
  const columns = cursor.takes('(') ? takeColumns(cursor, dialect) : [];
  return { verb, object, table, columns, isConditional };
}

/** Waits until the rest of a statement is in memory. Returns its tokens and its end, and reads nothing. */
function* restOfStatement(reader: Reader): Generator<void, { tokens: Token[]; end: number }> {
  const { input, dialect } = reader;
  for (;;) {
    const end = statementEnd(input, dialect, mayEndWithFile(reader));
    const sizeBytes = (end === MORE ? input.text.length : end) - input.pos;
    if (end !== MORE && sizeBytes <= HEAD_MAX_BYTES)
      return { tokens: tokensBetween(input, input.pos, end, dialect), end };
    if (sizeBytes > HEAD_MAX_BYTES) throw notRead(input, input.pos, 'The long statement');
    yield* more(input);
  }
}

/** Skips a statement of the list. */
function* readOther(reader: Reader, verb: string): Generator<void> {
  const { input } = reader;
  const { tokens, end } = yield* restOfStatement(reader);
  const rest = tokens.slice(1);
  const isSkipped = isHarmless(verb, rest) || (isRemoval(verb, rest) && !removesRows(reader, tokens));
  if (!isSkipped) throw notRead(input, input.pos, verb);
  input.pos = end;
  applyStatement(reader, verb, rest);
  reader.lastInsert = undefined;
  sessionChanged(reader);
}

/** Notes what a statement changes for the statements after it. */
function applyStatement(reader: Reader, verb: string, rest: readonly Token[]): void {
  const { session, dialect } = reader;
  const [first] = rest;
  switch (verb) {
    case 'SET':
      reader.hasHead = true;
      applySet(session, rest);
      break;
    case 'PRAGMA':
      reader.hasHead = true;
      break;
    case 'SELECT': {
      const [name, value] = rest.filter(({ kind }) => kind === 'string');
      if (rest.some(({ text }) => text === 'SET_CONFIG'))
        applyPostgres(session, name?.name ?? '', value?.name);
      break;
    }
    case 'RESET':
    case 'DISCARD':
      if (session.family === 'postgres') applyPostgres(session, first?.name ?? '', undefined);
      break;
    case 'USE':
      // Databases of a dump may have tables of the same name. SQL Server writes the schema with each table.
      if (!dialect.hasGoLines) session.schema = first?.name;
      break;
    case 'BEGIN':
    case 'START':
      reader.isInTransaction =
        dialect.hasTransaction && (first === undefined || first.text === 'TRANSACTION');
      break;
    case 'ABORT':
    case 'COMMIT':
    case 'END':
    case 'ROLLBACK':
      reader.isInTransaction = false;
  }
}

/** No database permits more columns. */
const COLUMNS_MAX = 32_767;
const TOKENS_MAX = 64;

/** Reads columns from after the opening parenthesis of CREATE TABLE to after the closing one. */
export function takeColumns(cursor: Cursor, dialect: Dialect): readonly Column[] {
  const columns: Column[] = [];
  let item: Token[] = [];
  for (let depth = 0; ; ) {
    const token = cursor.next();
    if (depth === 0 && (token.text === ',' || token.text === ')')) {
      const column = columnOf(item, dialect);
      if (column !== undefined && columns.length < COLUMNS_MAX) columns.push(column);
      item = [];
      if (token.text === ')') return columns;
    } else {
      // In parentheses, only the length of the type is kept, as in `binary(16)`.
      if (item.length < TOKENS_MAX && (depth === 0 || item.length === 3)) item.push(token);
      if (token.text === '(') depth++;
      else if (token.text === ')') depth--;
    }
  }
}

function columnOf(item: readonly Token[], dialect: Dialect): Column | undefined {
  const [first, second, third, fourth] = item;
  if (first === undefined || first.kind === 'other') return undefined;
  if (first.kind === 'word' && isOtherItem(first.text, second?.text ?? '', dialect)) return undefined;
  const length = third?.text === '(' ? (fourth?.text ?? '') : '';
  return {
    name: first.name,
    kind: kindOf(second?.name.toLowerCase() ?? '', length, dialect),
    // `GENERATED ALWAYS AS (…)` or `AS (…)`, but not `GENERATED ALWAYS AS IDENTITY`.
    isGenerated: item.some(({ text }, index) => text === 'AS' && item[index + 1]?.text === '('),
  };
}

/** Words that begin an item of CREATE TABLE that is not a column, regardless of the next word. */
const ITEMS = /^(?:CONSTRAINT|PRIMARY|UNIQUE|FOREIGN|CHECK|LIKE)$/;
const KEY_ITEMS = /^(?:KEY|INDEX|FULLTEXT|SPATIAL)$/;

/**
 * `key text` is a column in PostgreSQL and SQLite. `KEY name (column)` is an index in MySQL, whose dumps quote
 * all names of columns.
 */
const isOtherItem = (word: string, next: string, dialect: Dialect): boolean =>
  ITEMS.test(word) ||
  (dialect.hasKeyItems && KEY_ITEMS.test(word)) ||
  (word === 'EXCLUDE' && (next === 'USING' || next === '(')) ||
  (word === 'PERIOD' && next === 'FOR');

const BYTES = /^(?:(?:var)?binary|(?:tiny|medium|long)?blob|geometry|point|image)$/;

/** Only MySQL and MariaDB write bytes as plain strings, so the type is needed to recognise them. */
function kindOf(type: string, length: string, dialect: Dialect): ColumnKind {
  if (type === 'binary' && length === '16') return 'uuid';
  if (dialect.name !== 'mysql') return undefined;
  return type === 'bit' ? 'bits' : BYTES.test(type) ? 'bytes' : 'text';
}
