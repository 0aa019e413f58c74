import { invalidFile } from '../table.ts';
import type { ColumnKind } from './bytes.ts';
import { type Dialect, noteSign, setDialect } from './dialects.ts';
import { copyRows, type Insert, insertRows, type Reader } from './rows.ts';
import { LOOKAHEAD, notRead } from './script.ts';
import {
  applyPostgres,
  applySet,
  isHarmless,
  isRemoval,
  isStatement,
  itemsOf,
  reconnect,
} from './statement-list.ts';
import { type Column, namesIn, type Table, type Tables } from './tables.ts';
import {
  beginsStatement,
  executableAt,
  restOfLine,
  skipSpan,
  spanAt,
  type Token,
  takeToken,
} from './tokens.ts';

/** Characters between statements, including the end-of-file character of DOS. */
const BETWEEN = new RegExp(`[\\s;${String.fromCharCode(26)}]*`, 'y');

/** Reads a dump statement by statement. Yields whenever more of the dump must be loaded. */
export function* readStatements(reader: Reader): Generator<void> {
  const { script } = reader;
  for (;;) {
    script.pos += script.matches(BETWEEN)?.length ?? 0;
    if (script.endsAt(script.pos)) return;
    if (!script.isEnd && script.ahead < LOOKAHEAD) {
      yield;
      continue;
    }
    const { lastInsert } = reader;
    if (lastInsert !== undefined && script.text.startsWith(lastInsert.text, script.pos)) {
      script.pos += lastInsert.text.length;
      yield* insertRows(reader, lastInsert);
      continue;
    }
    noteSign(script.session, (pattern) => script.matches(pattern) !== undefined);
    const isComment = yield* readComment(reader);
    if (!isComment) yield* readStatement(reader);
  }
}

/** Beginnings of lines that are not statements: messages of dump programs in the dump, and commands of clients. */
const LINE =
  /(?:mysqldump|mysqlpump|mariadb-dump|pg_dump|pg_dumpall|sqlite3|psql): |(?:Warning|WARNING|Enter password|Password): ?|[#\\]|[Dd][Ee][Ll][Ii][Mm][Ii][Tt][Ee][Rr]\s|[Gg][Oo][ \t]*\r?(?:\n|$)/y;
const BEGINS = /^-- (?:PostgreSQL database(?: cluster)? dump\s*$|(?:MySQL|MariaDB) dump \d)/;
const ENDS = /^-- (?:PostgreSQL database(?: cluster)? dump complete\s*$|Dump completed)/;
const EXECUTABLE_CREATE = /\s*CREATE\b/iy;

/** Reads a comment or line that is not a statement. Returns false, and reads nothing, for anything else. */
function* readComment(reader: Reader): Generator<void, boolean> {
  const { script } = reader;
  const { text, pos, session } = script;
  const executable = executableAt(script, pos);
  const span = spanAt(script, pos);
  if (session.delimiter !== ';' && text.startsWith(session.delimiter, pos)) {
    script.pos += session.delimiter.length;
  } else if (session.dialect.hasMysqlComments && text.startsWith('*/', pos)) {
    script.pos += 2;
  } else if (executable > 0) {
    script.pos = executable;
    // MySQL's executable CREATE is for routines and placeholders of views, which have no rows.
    if (script.matches(EXECUTABLE_CREATE) !== undefined) yield* takeStatement(reader);
  } else if (span?.closing === '*/') {
    yield* skipSpan(script, span);
  } else if (span?.closing === '\n' || script.matches(LINE) !== undefined) {
    const line = text.slice(pos, pos + LOOKAHEAD).split(/\r?\n/, 1)[0] ?? '';
    if (BEGINS.test(line)) reader.dumps++;
    else if (ENDS.test(line)) reader.dumps = Math.max(0, reader.dumps - 1);
    else if (/^[\\D]/i.test(line)) readCommand(reader, line);
    yield* skipSpan(script, restOfLine('plain'));
  } else {
    return false;
  }
  return true;
}

/** Harmless commands of psql. All others read files, or decide what psql executes, so they stop the import. */
const COMMANDS = /^(?:c|connect|restrict|unrestrict|encoding|echo|qecho|pset|set|unset|timing)$/;

/** Reads a command of psql, or DELIMITER of the `mysql` client. */
function readCommand(reader: Reader, line: string): void {
  const { script, tables } = reader;
  const { session } = script;
  reader.lastInsert = undefined;
  const delimiter = /^DELIMITER[ \t]+(\S{1,16})/i.exec(line)?.[1];
  if (delimiter !== undefined) {
    if (session.dialect.name !== 'mysql')
      session.start = { ...session.start, hasEscapes: session.hasEscapes };
    setDialect(session, 'mysql');
    // MySQL dumps write `DELIMITER ;;` before bodies of routines, which have semicolons, and `DELIMITER ;` after them.
    session.delimiter = delimiter;
    return;
  }
  const [, command = '', argument = ''] = /^\\(\w*)\s*(.*)$/.exec(line) ?? [];
  if (!COMMANDS.test(command)) throw script.unreadable(script.pos, `\\${command}`);
  if (command === 'encoding') applyPostgres(session, 'client_encoding', argument.trim().replaceAll("'", ''));
  if (command !== 'c' && command !== 'connect') return;
  tables.database =
    /-reuse-previous=on "dbname='?([^'"]+)/.exec(argument)?.[1] ?? argument.trim().replaceAll('"', '');
  reconnect(session);
}

/** A statement without its first word. */
interface Statement {
  tokens: readonly Token[];
  /** Whether the rows of an INSERT follow. */
  hasRows: boolean;
  isLong: boolean;
}

/** Maximum length of a statement without its rows. */
const HEAD_MAX_BYTES = 1024 * 1024;
const MODIFIERS = /^(?:OR|REPLACE|ALTER|TEMP|TEMPORARY|GLOBAL|LOCAL|UNLOGGED|FOREIGN|CONSTRAINT|VIRTUAL)$/;
/** Objects whose definition may contain statements, so that a semicolon need not end it. */
const ROUTINE = /^(?:FUNCTION|PROCEDURE|PROC|TRIGGER|RULE)$/;

/** Reads a statement to its end, or an INSERT to its rows. Tokens after the first megabyte are not kept. */
function* takeStatement(reader: Reader, verb = ''): Generator<void, Statement> {
  const { script } = reader;
  const { dialect, delimiter } = script.session;
  const start = script.offset + script.pos;
  const tokens: Token[] = [];
  let [last, beforeLast] = ['', ''];
  let isHead = verb === 'CREATE' || (verb === 'ALTER' && dialect.hasGoLines);
  let [isRoutine, isBatch, hasBody] = [false, false, false];
  for (let depth = 0; ; ) {
    const token = yield* takeToken(script);
    const { text } = token;
    const isLong = script.offset + script.pos - start > HEAD_MAX_BYTES;
    if (isHead && !MODIFIERS.test(text)) {
      isHead = false;
      isRoutine = delimiter === ';' && ROUTINE.test(text);
      isBatch = dialect.hasGoLines === true && (isRoutine || text === 'VIEW');
    }
    if (token.beginsLine && beginsStatement(script, token.start, isRoutine || isBatch || depth > 0)) {
      script.pos = token.start;
      return { tokens, isLong, hasRows: false };
    }
    if (token.kind === 'end' && text === '') {
      if (!mayEndWithFile(reader) || depth > 0 || ROWS.test(verb)) yield* script.more();
      return { tokens, isLong, hasRows: false };
    }
    if (token.kind === 'end' && !isBatch) {
      const isAfterBody = last === 'END' && /^(?:;|BEGIN|ATOMIC)$/.test(beforeLast);
      if (!isRoutine || isAfterBody || (!hasBody && depth <= 0)) return { tokens, isLong, hasRows: false };
    }
    if (depth === 0 && isValues(text, last) && ROWS.test(verb) && tokens.length > 0)
      return { tokens, isLong, hasRows: true };
    const before = depth;
    if (text === '(') depth++;
    if (text === ')') depth--;
    // PostgreSQL requires `BEGIN ATOMIC`, because an argument of a routine may be named `begin`.
    const isBegin = dialect.hasPostgresTexts ? text === 'ATOMIC' && last === 'BEGIN' : text === 'BEGIN';
    if (isBegin && depth === 0) hasBody = true;
    [beforeLast, last] = [last, text];
    token.depth = Math.min(before, depth);
    if (!isLong) tokens.push(token);
  }
}

const ROWS = /^(?:INSERT|REPLACE)$/;

/**
 * Whether a word is the VALUES or VALUE before rows. A table may be named `value`, and PostgreSQL has `SYSTEM VALUE`.
 */
const isValues = (text: string, last: string): boolean =>
  last !== 'INTO' &&
  last !== '.' &&
  (text === 'VALUES' || (text === 'VALUE' && !/^(?:SYSTEM|USER)$/.test(last)));

/** Whether the last statement may have no delimiter: in scripts of SQL Server, or if MySQL's DELIMITER is not `;`. */
const mayEndWithFile = ({ script: { session } }: Reader) =>
  session.dialect.hasGoLines === true || session.delimiter !== ';';

function* readStatement(reader: Reader): Generator<void> {
  const { script } = reader;
  const line = script.lineAt(script.pos);
  const start = script.offset + script.pos;
  const first = yield* takeToken(script);
  const verb = first.text;
  // If the file ends within the first word or sign of the statement, it was truncated.
  if (script.endsAt(first.end) && !(mayEndWithFile(reader) && isStatement(verb))) yield* script.more();
  if (!isStatement(verb)) throw script.unreadable(first.start, 'The text');
  const isOfRows = ROWS.test(verb) || verb === 'COPY';
  if (isOfRows && script.session.delimiter !== ';')
    throw script.unreadable(first.start, `${verb} with another DELIMITER`);
  const statement = yield* takeStatement(reader, verb);
  if (ROWS.test(verb)) yield* readInsert(reader, statement, { verb, line, start });
  else {
    reader.lastInsert = undefined;
    if (verb === 'COPY') yield* readCopy(reader, statement, line);
    else if (!isDefined(reader, verb, statement, line)) readOther(reader, verb, statement, line);
  }
}

/** Reads a name such as `public.users` into its parts. Undefined if there is none. */
function nameAt(tokens: readonly Token[], from: number): { parts: string[]; next: number } | undefined {
  const parts: string[] = [];
  for (let at = from; ; at += 2) {
    const token = tokens[at];
    if (token === undefined || token.kind === 'other') return undefined;
    parts.push(token.name);
    if (tokens[at + 1]?.text !== '.') return { parts, next: at + 1 };
  }
}

/** Reads names in parentheses. Undefined if the parentheses contain anything else. */
function namesAt(tokens: readonly Token[], from: number): { names: string[]; next: number } | undefined {
  const names: string[] = [];
  for (let at = from; ; at += 2) {
    const [sign, token] = tokens.slice(at, at + 2);
    if (sign?.text === ')' && names.length > 0) return { names, next: at + 1 };
    if (sign?.text !== (at === from ? '(' : ',') || token === undefined || token.kind === 'other')
      return undefined;
    names.push(token.name);
  }
}

const INSERT_MODIFIERS = /^(?:INTO|IGNORE|OR|REPLACE|ABORT|FAIL|LOW_PRIORITY|DELAYED|HIGH_PRIORITY)$/;

function* readInsert(
  reader: Reader,
  { tokens, hasRows, isLong }: Statement,
  { verb, line, start }: { verb: string; line: number; start: number },
): Generator<void> {
  const { script, tables } = reader;
  const begin = tokens.findIndex(({ text }) => !INSERT_MODIFIERS.test(text));
  const table = nameAt(tokens, begin);
  const columns = table && namesAt(tokens, table.next);
  const rest = tokens.slice(columns?.next ?? table?.next);
  if (isLong || !hasRows || table === undefined || (rest.length > 0 && rest[0]?.text !== 'OVERRIDING'))
    throw notRead(line, isLong ? 'The long statement' : 'INSERT without VALUES');
  const into = tables.named(table.parts);
  const insert: Insert = {
    text: script.text.slice(start - script.offset, script.pos),
    table: into,
    named: columns && namesIn(into, columns.names),
    replaces: [verb, ...tokens.slice(0, begin).map(({ text }) => text)].includes('REPLACE'),
    columns: undefined,
  };
  // If the beginning of the statement is not in memory any more, its text cannot be compared with the next statement.
  reader.lastInsert = start < script.offset ? undefined : insert;
  yield* insertRows(reader, insert);
}

/**
 * Reads COPY … FROM stdin and its rows. COPY … TO has none.
 * @throws FileProblem FILE_INVALID if COPY reads from elsewhere, or has options, such as another format
 */
function* readCopy(reader: Reader, { tokens, isLong }: Statement, line: number): Generator<void> {
  const { script, tables } = reader;
  const name = nameAt(tokens, 0);
  const columns = name && namesAt(tokens, name.next);
  const [first, second, ...others] = tokens.slice(columns?.next ?? name?.next);
  if (tokens[0]?.text === '(' || first?.text === 'TO') return;
  if (isLong || name === undefined || first?.text !== 'FROM' || second?.text !== 'STDIN')
    throw notRead(line, 'COPY without rows');
  if (others.length > 0) {
    throw invalidFile(
      'Rows of COPY are not in its text format: dump them as pg_dump does, without options of COPY.',
    );
  }
  if (script.session.dialect.name === 'standard') setDialect(script.session, 'postgres');
  yield* skipSpan(script, restOfLine('plain'));
  script.pos = Math.min(script.pos + 1, script.text.length);
  yield* copyRows(reader, tables.named(name.parts), columns?.names);
}

/** Reads CREATE, and in scripts of SQL Server ALTER of routines. Returns false, and reads nothing, for other statements. */
function isDefined(reader: Reader, verb: string, { tokens, isLong }: Statement, line: number): boolean {
  const { script, tables } = reader;
  const { dialect } = script.session;
  const at = tokens.findIndex(({ text }) => !MODIFIERS.test(text));
  const object = tokens[at]?.text ?? '';
  if (verb === 'ALTER') return dialect.hasGoLines === true && (ROUTINE.test(object) || object === 'VIEW');
  if (verb !== 'CREATE' || object !== 'TABLE') return verb === 'CREATE';
  if (isLong) throw notRead(line, 'The long statement');
  const isConditional = tokens[at + 1]?.text === 'IF';
  const name = nameAt(tokens, isConditional ? at + 4 : at + 1);
  if (name === undefined) throw notRead(line, 'CREATE TABLE without a name');
  const table = tables.named(name.parts);
  if (table.filledBy !== undefined && !isConditional)
    throw notRead(line, 'CREATE TABLE, after rows of the table,');
  const close = tokens[name.next]?.text === '(' ? closingOf(tokens, name.next) : name.next - 1;
  if (tokens.slice(close + 1).some(({ text }) => text === 'SELECT'))
    throw notRead(line, 'CREATE TABLE with SELECT');
  const items = itemsOf(tokens.slice(name.next + 1, close));
  const columns = items.flatMap((item) => columnOf(item, dialect) ?? []);
  // CREATE TABLE may have no columns of its own: `CREATE TABLE a (LIKE b)`.
  if (columns.length > 0 && !(isConditional && table.created !== undefined)) tables.create(table, columns);
  noteReferences(tables, table, items);
  return true;
}

/** Notes the foreign keys in items of CREATE TABLE or parts of ALTER TABLE. */
function noteReferences(tables: Tables, table: Table, items: readonly (readonly Token[])[]): void {
  for (const item of items) {
    const at = item.findIndex(({ text }) => text === 'REFERENCES');
    const to = at < 1 ? undefined : nameAt(item, at + 1);
    if (to === undefined) continue;
    const foreign = item.findIndex(({ text }) => text === 'FOREIGN');
    const open = item.findIndex(({ text }, index) => index > foreign && text === '(');
    const columns = foreign === -1 ? [item[0]?.name ?? ''] : (namesAt(item, open)?.names ?? []);
    tables.refer(table, columns, to.parts);
  }
}

const closingOf = (tokens: readonly Token[], open: number): number =>
  tokens.findIndex(({ text, depth }, index) => index > open && text === ')' && depth === tokens[open]?.depth);

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
 * Whether an item of CREATE TABLE is not a column. An unquoted `key` is an index in MySQL, whose dumps quote names of
 * columns, and a column in PostgreSQL and SQLite.
 */
const isOtherItem = (word: string, next: string, { hasKeyItems }: Dialect): boolean =>
  ITEMS.test(word) ||
  (hasKeyItems === true && KEY_ITEMS.test(word)) ||
  (word === 'EXCLUDE' && (next === 'USING' || next === '(')) ||
  (word === 'PERIOD' && next === 'FOR');

const BYTES = /^(?:(?:var)?binary|(?:tiny|medium|long)?blob|geometry|point|image)$/;

/** Only MySQL and MariaDB write bytes as plain strings, so the type is needed to recognise them. */
function kindOf(type: string, length: string, { name }: Dialect): ColumnKind {
  if (type === 'binary' && length === '16') return 'uuid';
  if (name !== 'mysql') return undefined;
  return type === 'bit' ? 'bits' : BYTES.test(type) ? 'bytes' : 'text';
}

/** Words before the name of a table in ALTER TABLE. */
const ALTERED = /^(?:FOREIGN|TABLE|IF|EXISTS|ONLY)$/;

/** Skips a harmless statement, and applies its settings to the statements after it. Refuses all others. */
function readOther(reader: Reader, verb: string, { tokens, isLong }: Statement, line: number): void {
  const { script, tables } = reader;
  const { session } = script;
  if (isLong) throw notRead(line, 'The long statement');
  const isSkipped = isHarmless(verb, tokens) || (isRemoval(verb, tokens) && !tables.losesRows(verb, tokens));
  if (!isSkipped) throw notRead(line, verb);
  const [first] = tokens;
  switch (verb) {
    case 'ALTER': {
      const name = nameAt(
        tokens,
        tokens.findIndex(({ text }) => !ALTERED.test(text)),
      );
      const table = name && tables.find(name.parts).known;
      if (table !== undefined) noteReferences(tables, table, itemsOf(tokens.slice(name?.next)));
      break;
    }
    case 'SET':
      reader.hasHead = true;
      applySet(session, tokens);
      break;
    case 'PRAGMA':
      reader.hasHead = true;
      break;
    case 'SELECT': {
      const [name, value] = tokens.filter(({ kind }) => kind === 'string');
      if (tokens.some(({ text }) => text === 'SET_CONFIG'))
        applyPostgres(session, name?.name ?? '', value?.name);
      break;
    }
    case 'RESET':
    case 'DISCARD':
      if (session.dialect.name === 'postgres') applyPostgres(session, first?.name ?? '', undefined);
      break;
    case 'USE':
      // Databases of a dump may have tables of the same name. SQL Server writes the schema with each table.
      if (!session.dialect.hasGoLines) session.schema = first?.name;
      break;
    case 'BEGIN':
    case 'START':
      // Dump programs end every BEGIN TRANSACTION with COMMIT, so that a dump without COMMIT is truncated.
      reader.isInTransaction =
        !session.dialect.hasGoLines && (first === undefined || first.text === 'TRANSACTION');
      break;
    case 'ABORT':
    case 'COMMIT':
    case 'END':
    case 'ROLLBACK':
      reader.isInTransaction = false;
  }
}
