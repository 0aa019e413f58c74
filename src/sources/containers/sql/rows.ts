import { BadRecord, invalidFile, MAX_RECORD_BYTES, type SourceRecord, wrongEncoding } from '../table.ts';
import { unescaped } from './bytes.ts';
import { type Dialect, labelIfAmbiguous } from './dialects.ts';
import { INVALID, LOOKAHEAD, LOOKBEHIND, notRead, type Script } from './script.ts';
import { type Column, isRead, type Table, type Tables } from './tables.ts';
import { beginsStatement, passSpace, restOfLine, skipSpan, spanAt, spanEnd } from './tokens.ts';
import type { ValueReader, Values } from './values.ts';

/** State of the reader of a dump. */
export interface Reader {
  readonly script: Script;
  readonly tables: Tables;
  readonly values: ValueReader;
  /** Number of dumps in the file whose closing comment is still missing. */
  dumps: number;
  /** A transaction has begun, and not ended. SQLite and phpMyAdmin put the whole dump into one transaction. */
  isInTransaction: boolean;
  /** An INSERT followed another one without a semicolon. The last statement may lack one, too. */
  hasNoSemicolons: boolean;
  /** Whether settings (SET) precede the rows, as in all dumps. If not, lines may have been filtered out. */
  hasHead: boolean;
  lastInsert?: Insert | undefined;
}

/** An INSERT up to VALUES. It is kept, because most INSERTs have the same text up to VALUES as the INSERT before. */
export interface Insert {
  readonly text: string;
  readonly table: Table;
  /** Undefined if the statement does not name columns. */
  readonly named: readonly string[] | undefined;
  readonly replaces: boolean;
  /** Columns of its rows. Undefined until the first row is read. */
  columns: readonly Column[] | undefined;
}

const badRow = {
  tooLong: new BadRecord('RECORD_TOO_LONG', `The row is longer than ${MAX_RECORD_BYTES} bytes.`),
  columns: new BadRecord(
    'COLUMNS_MISSING',
    'The number of values in the row differs from the number of columns.',
  ),
  value: new BadRecord(
    'SQL_INVALID',
    'The row has a value that is neither a text nor a number nor a function that dumps use. Export the table as CSV.',
  ),
  none: new BadRecord('SQL_INVALID', 'The statement has no readable rows.'),
};

/** Returns `0`, `1`, … as names of columns that the dump does not name, as in CSV without a header. */
function numberedColumns(table: Table, count?: number): string[] {
  table.cells ??= count;
  return Array.from({ length: table.cells ?? 0 }, (_, index) => String(index));
}

/**
 * Returns the columns of an INSERT.
 * @param count number of values in a row, which shows whether rows without column names have generated columns
 */
function columnsOf({ table, named }: Insert, count?: number): readonly Column[] {
  const { created } = table;
  const plain = (name: string): Column => ({ name, kind: undefined, isGenerated: false });
  if (named !== undefined)
    return named.map((name) => created?.find((column) => column.name === name) ?? plain(name));
  if (created === undefined) return numberedColumns(table, count).map(plain);
  const written = created.filter(({ isGenerated }) => !isGenerated);
  return written.length === count ? written : created;
}

function recordOf(columns: readonly string[], values: Values): SourceRecord {
  const record: Record<string, string | null> = {};
  for (let index = 0; index < columns.length; index++) {
    const name = columns[index] ?? '';
    const value = values[index];
    if (value === undefined) continue;
    // Assigning a column named `__proto__` would change the prototype of the record.
    if (name === '__proto__') Object.defineProperty(record, name, { value, enumerable: true });
    else record[name] = value;
  }
  return record;
}

/**
 * Notes that rows of a table begin.
 * @throws FileProblem if the declared encoding has characters whose second byte is a backslash
 */
function beginRows({ script }: Reader, table: Table, verb: string): void {
  table.filledBy ??= verb;
  const label = labelIfAmbiguous(script.session);
  if (label === undefined) return;
  throw wrongEncoding(
    `The dump says before line ${script.lineAt(script.pos)} that its text is in ${script.session.charset}. Name the encoding: --encoding ${label}.`,
  );
}

const NEXT = /(?:INSERT\s|GO[ \t]*\r?(?:\n|$))/iy;

/** Reads the rows of an INSERT, from after VALUES to the end of the statement. */
export function* insertRows(reader: Reader, insert: Insert): Generator<void> {
  const { script, tables } = reader;
  const { table, replaces } = insert;
  const verb = replaces ? 'REPLACE' : 'INSERT';
  // mysqldump --replace writes each row once, so its REPLACE statements replace nothing.
  if (replaces && table.filledBy !== undefined && !(reader.dumps > 0 && table.filledBy === verb))
    throw notRead(script.lineAt(script.pos), 'REPLACE, after other rows of its table,');
  beginRows(reader, table, verb);
  let isAfterRow = false;
  for (;;) {
    yield* passSpace(script);
    const sign = script.text.charAt(script.pos);
    if (sign === '(' && !isAfterRow) {
      isAfterRow = yield* readRow(reader, insert);
    } else if (sign === ',' && isAfterRow) {
      script.pos++;
      isAfterRow = false;
    } else if (sign !== '') {
      if (sign !== ';' && !/[A-Za-z]/.test(sign)) throw script.unreadable(script.pos, 'The text after a row');
      if (!isAfterRow) tables.addRow(table, namesOf(insert), badRow.none, 0);
      if (sign === ';') script.pos++;
      else if (script.matches(NEXT) !== undefined) reader.hasNoSemicolons = true;
      if (sign === ';' || (isAfterRow && mayLackSemicolon(reader))) return;
      // ON CONFLICT DO NOTHING, RETURNING or the like follows the rows, and is skipped below.
      break;
    } else {
      if (script.endsAt(script.pos) && isAfterRow && mayLackSemicolon(reader)) return;
      yield* script.more();
    }
  }
  const hasEnd = yield* skipRest(script, false);
  if (!hasEnd && !mayLackSemicolon(reader)) yield* script.more();
}

const mayLackSemicolon = ({ script, hasNoSemicolons }: Reader): boolean =>
  hasNoSemicolons || script.session.dialect.hasGoLines === true;

const namesOf = (insert: Insert): readonly string[] =>
  (insert.columns ?? columnsOf(insert)).map(({ name }) => name);

/** Reads a row. Returns false if it must be read again: it is not UTF-8, but the import does not need its table. */
function* readRow(reader: Reader, insert: Insert): Generator<void, boolean> {
  const { script, tables, values } = reader;
  const { table } = insert;
  const isWanted = isRead(table);
  const endOfRow = () => {
    const end = values.rowAt(script.pos, insert.columns, isWanted);
    if (insert.columns !== undefined) return end;
    insert.columns = columnsOf(insert, values.values.length);
    script.rewind(script.pos);
    return values.rowAt(script.pos, insert.columns, isWanted);
  };
  let bad = badRow.tooLong;
  try {
    const end = yield* script.whole(endOfRow);
    if (end !== undefined) {
      const sizeBytes = end - script.pos;
      if (isWanted && !reader.hasHead) refuseFiltered(script, script.pos, end);
      script.pos = end;
      if (!isWanted) return true;
      const names = namesOf(insert);
      const isWhole = values.values.length === names.length;
      const row = isWhole ? recordOf(names, values.values) : badRow.columns;
      tables.addRow(table, names, sizeBytes > MAX_RECORD_BYTES ? badRow.tooLong : row, sizeBytes);
      return true;
    }
  } catch (problem) {
    script.rewind(script.pos);
    if (problem !== INVALID) {
      // If even the end of the row is uncertain, nothing after the row can be read.
      if (!isWanted) throw problem;
      tables.refuseIfWanted(table, namesOf(insert), problem);
      return false;
    }
    bad = badRow.value;
  }
  // If the row has no end, `more` throws, because the file is then truncated.
  while (!(yield* skipRest(script, true))) yield* script.more();
  tables.addRow(table, namesOf(insert), bad, 0);
  return true;
}

const INSERT_LINE = /\n(?:INSERT|REPLACE)\s/i;

/**
 * Refuses dumps whose lines were filtered, for example with `grep users`. Such a filter drops lines of
 * multi-line texts, so that a text of one user may end inside the row of another.
 */
function refuseFiltered(script: Script, start: number, end: number): void {
  if (!INSERT_LINE.test(script.text.slice(start, end))) return;
  throw invalidFile(
    `The row at line ${script.lineAt(start)} has a text with a line that begins with INSERT, and the file has no settings (SET …) before it. ` +
      'If its lines were filtered out of a dump (grep), this line may be a row that nobody wrote. Name the whole dump.',
  );
}

/** Reads rows of COPY up to the line `\.`. Columns without names are numbered. */
export function* copyRows(
  reader: Reader,
  table: Table,
  names: readonly string[] | undefined,
): Generator<void> {
  const { script, tables } = reader;
  beginRows(reader, table, 'COPY');
  const named = names ?? table.created?.flatMap(({ name, isGenerated }) => (isGenerated ? [] : name));
  let columns = named ?? numberedColumns(table);
  tables.begin(table, columns);
  for (;;) {
    // If the table is not needed, backslashes have no meaning: one that is half a character of Shift_JIS, before a line
    // break, must not hide the end mark.
    const line = restOfLine(isRead(table) ? 'copy' : 'plain');
    const lineEnd = yield* script.whole(() => spanEnd(script, line, script.pos));
    const start = script.pos;
    if (lineEnd === undefined || lineEnd - start > MAX_RECORD_BYTES) {
      tables.addRow(table, columns, badRow.tooLong, 0);
      yield* skipSpan(script, line);
      script.pos++;
      continue;
    }
    const text = script.text.slice(start, lineEnd);
    const row = text.endsWith('\r') ? text.slice(0, -1) : text;
    // Only the end mark may be the last line of the file without a line end. Otherwise `more` throws.
    if (script.endsAt(lineEnd) && row !== END_MARK) yield* script.more();
    script.pos = Math.min(lineEnd + 1, script.text.length);
    if (row === END_MARK) return;
    if (!isRead(table)) continue;
    try {
      const values = cellsOf(script, row, start);
      if (named === undefined) columns = numberedColumns(table, values.length);
      const isWhole = values.length === columns.length;
      tables.addRow(table, columns, isWhole ? recordOf(columns, values) : badRow.columns, row.length);
    } catch (problem) {
      tables.refuseIfWanted(table, columns, problem);
      script.rewind(start);
    }
  }
}

const END_MARK = '\\.';
/** Maximum number of cells of a row, above PostgreSQL's limit of 1,600 columns. */
const CELLS_MAX = 2000;

/** The end mark `\.` after a backslash at the end of a line. psql ends the rows there nevertheless. */
const HIDDEN_END = /\n\\\.\r?(?:\n|$)/;

/** Escapes of COPY that stand for bytes, such as `\351`. */
const BYTE_CODE = /\\[0-7x]/;

/** Splits a line of COPY. If escapes stand for bytes, the text is only decoded after they are replaced. */
function cellsOf(script: Script, row: string, pos: number): Values {
  if (HIDDEN_END.test(row))
    throw wrongEncoding(
      `The row at line ${script.lineAt(pos)} ends in a backslash, which may be half a character. Name the encoding: --encoding shift_jis, gbk or big5.`,
    );
  const hasByteCodes = BYTE_CODE.test(row);
  const cells: Values = (hasByteCodes ? row : script.decoded(row, pos)).split('\t', CELLS_MAX);
  if (!row.includes('\\')) return cells;
  for (let index = 0; index < cells.length; index++) {
    const cell = cells[index];
    if (cell?.includes('\\')) cells[index] = cell === '\\N' ? null : unescaped(cell, 'copy');
  }
  return hasByteCodes ? cells.map((cell) => cell && script.decoded(cell, pos)) : cells;
}

const WORD = /[\w$\x80-\xff]+/y;
/** Characters that are white space, or that may begin or end a comment. */
const MAY_BE_SPACE = /[\s*/#-]/;

/**
 * Skips a row that cannot be read, or the rest of a statement after its rows. Returns false if the file ends before the
 * end of the row or statement.
 * @throws FileProblem if a letter is directly before or after a text, which shows that a text has ended too early
 */
function* skipRest(script: Script, isRow: boolean): Generator<void, boolean> {
  for (let depth = 0; ; ) {
    const from = script.offset + script.pos;
    // `passSpace` is only called where it is needed, because a row may have millions of signs.
    if (script.ahead < LOOKAHEAD || MAY_BE_SPACE.test(script.text.charAt(script.pos)))
      yield* passSpace(script);
    const start = script.pos;
    const beginsLine = script.text.slice(Math.max(0, from - script.offset), start).includes('\n');
    if (script.endsAt(start)) return false;
    if (!isRow && beginsLine && beginsStatement(script, start)) return true;
    const span = spanAt(script, start);
    if (span !== undefined) {
      const isText = span.closing === "'";
      if (isText && isTorn(script.text, start, script.session.dialect))
        throw script.unreadable(start, 'The row');
      yield* skipSpan(script, span);
      if (isText && IN_VALUE.test(script.text.charAt(script.pos)))
        throw script.unreadable(script.pos, 'The row');
      continue;
    }
    const word = script.matches(WORD) ?? script.text.charAt(start);
    script.pos += word.length;
    if (word === '(') depth++;
    if (word === ')') depth--;
    if (isRow && word === ')' && depth === 0) return true;
    if (isRow && word === ';') throw script.unreadable(start, 'The row');
    if (word === ';') return true;
    if (!isRow && /^UPDATE$/i.test(word)) throw notRead(script.lineAt(start), 'The UPDATE of an INSERT');
  }
}

/** Characters that never stand directly before or after a text. */
const IN_VALUE = /[\w\\\x80-\xff]/;
/** Prefixes of a quoted text: N'…', X'…', B'…', _utf8'…', DATE'…'; in PostgreSQL E'…', too. */
const PREFIX = /(?:^|[^\w$\x80-\xff])(?:[NBX]|_[A-Z0-9]{1,12}|DATE|TIME|TIMESTAMP)$/i;
const EXTENDED_PREFIX = /(?:^|[^\w$\x80-\xff])E$/i;

/** Returns whether the character before a quote shows that the previous text ended too early. */
function isTorn(text: string, pos: number, { hasPostgresTexts }: Dialect): boolean {
  if (!IN_VALUE.test(text.charAt(pos - 1))) return false;
  const before = text.slice(Math.max(0, pos - LOOKBEHIND), pos);
  return !PREFIX.test(before) && !(hasPostgresTexts && EXTENDED_PREFIX.test(before));
}
