import { isUtf8 } from 'node:buffer';
import { BadRecord, FileProblem, MAX_RECORD_BYTES } from '../table.ts';
import { type Cell, ESCAPES, unescapeBytes } from './bytes.ts';
import { INVALID, type Input, indexFrom, MORE, more } from './input.ts';
import type { Insert, Reader } from './reader.ts';
import { labelIfAmbiguous } from './settings.ts';
import { notRead, skip } from './skip.ts';
import { type Column, isRead, recordOf, type Table } from './tables.ts';
import { matchAt, skipSpace } from './tokens.ts';
import { type RowShape, rowAt, type Values } from './values.ts';

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

/** Columns without names are called `0`, `1`, …, as in CSV without a header. */
export function numberedColumns(table: Table, saysUtf8: boolean, count?: number): RowShape {
  table.cells ??= count;
  const columns = Array.from({ length: table.cells ?? 0 }, (_, index) => String(index));
  return { columns, kinds: undefined, otherKind: saysUtf8 ? 'unknown' : undefined };
}

export const withoutGenerated = (columns: readonly Column[]): readonly Column[] =>
  columns.filter(({ isGenerated }) => !isGenerated);

/** Returns the possible columns of an INSERT. Without names, rows may or may not have generated columns. */
export function shapesOf(
  named: readonly string[] | undefined,
  created: readonly Column[] | undefined,
  saysUtf8: boolean,
): RowShape[] {
  const otherKind = saysUtf8 ? 'unknown' : undefined;
  const shapeOf = (columns: readonly Pick<Column, 'name' | 'kind'>[]): RowShape => {
    const isPlain = columns.every(
      ({ kind }) => kind === 'text' || (kind === undefined && otherKind === undefined),
    );
    return {
      columns: columns.map(({ name }) => name),
      kinds: isPlain ? undefined : columns.map(({ kind }) => kind),
      otherKind: isPlain ? undefined : otherKind,
    };
  };
  if (named !== undefined) {
    const kinds = new Map(created?.map(({ name, kind }) => [name, kind]));
    return [shapeOf(named.map((name) => ({ name, kind: kinds.get(name) })))];
  }
  if (created === undefined) return [];
  const written = withoutGenerated(created);
  return (written.length === created.length ? [created] : [created, written]).map(shapeOf);
}

/**
 * Notes that rows of a table begin.
 * @throws ProblemAt if the declared encoding may have quotes or backslashes in characters
 */
export function beginRows({ input, session, isEncodingGiven }: Reader, table: Table, verb: string): void {
  table.filledBy ??= verb;
  const label = isEncodingGiven ? undefined : labelIfAmbiguous(session.charset);
  if (label === undefined) return;
  throw input.problemAt(
    input.pos,
    (place) =>
      `The dump says before ${place} that its text is in ${session.charset}. Name the encoding: --encoding ${label}.`,
    'ENCODING_INVALID',
  );
}

const NEXT = /(?:INSERT\s|GO[ \t]*\r?(?:\n|$))/iy;
const INSERT_LINE = /\n(?:INSERT|REPLACE)\s/i;

/** Reads the rows of an INSERT, from after VALUES to the end of the statement. */
export function* insertRows(reader: Reader, insert: Insert): Generator<void> {
  const { input } = reader;
  const { table, shapes, replaces } = insert;
  const start = input.pos;
  const verb = replaces ? 'REPLACE' : 'INSERT';
  // mysqldump --replace writes each row once, so its REPLACE statements replace nothing.
  if (replaces && table.filledBy !== undefined && !(reader.dumps > 0 && table.filledBy === verb))
    throw notRead(input, start, 'REPLACE, after other rows of its table,');
  beginRows(reader, table, verb);
  input.pos += insert.text.length;
  const isDone = isRead(table) && (yield* readRows(reader, new InsertedRows(reader, table, shapes), table));
  if (isDone) return;
  const hasEnd = yield* skip(input, reader.dialect, 'rows');
  if (!hasEnd && !reader.hasNoSemicolons) yield* more(input);
}

/** Returns whether the end of the statement is read. The rest is skipped if the table is not wanted. */
function* readRows(reader: Reader, rows: InsertedRows, table: Table): Generator<void, boolean> {
  const { input, tables } = reader;
  while (isRead(table)) {
    const next = skipSpace(input, input.pos, reader.dialect);
    if (next !== MORE) input.pos = next;
    const sign = next === MORE ? '' : input.text.charAt(next);
    if (sign === '(' && !rows.isAfterRow) yield* rows.readRow();
    else if (sign === ',' && rows.isAfterRow) {
      input.pos++;
      rows.isAfterRow = false;
    } else if (sign !== '') {
      if (sign !== ';' && !/[A-Za-z]/.test(sign)) throw input.unreadable(input.pos, 'The text after a row');
      if (!rows.isAfterRow) tables.addRow(table, rows.columns, badRow.none, 0);
      if (sign === ';') input.pos++;
      else if (matchAt(NEXT, input.text, input.pos) !== undefined) reader.hasNoSemicolons = true;
      // ON CONFLICT DO NOTHING, RETURNING or similar may follow the rows.
      return sign === ';' || (rows.isAfterRow && reader.hasNoSemicolons);
    } else {
      if (input.endsAt(input.pos) && rows.isAfterRow && reader.hasNoSemicolons) return true;
      if (input.isTooLong) throw input.unreadable(input.pos, 'The text between rows');
      yield* more(input);
    }
  }
  return false;
}

class InsertedRows {
  /** Whether a comma or the end of the statement must follow. */
  isAfterRow = false;
  readonly #reader: Reader;
  readonly #table: Table;
  readonly #shapes: readonly RowShape[];
  readonly #values: Values = [];
  readonly #cell: Cell = { value: undefined, bytes: undefined };
  #shape: RowShape;
  #isFirst = true;

  /** The first of `shapes` with as many columns as the first row has values is used. Without, columns are numbered. */
  constructor(reader: Reader, table: Table, shapes: readonly RowShape[]) {
    this.#reader = reader;
    this.#table = table;
    this.#shapes = shapes;
    this.#shape = shapes[0] ?? numberedColumns(table, reader.dialect.saysUtf8);
  }

  get columns(): readonly string[] {
    return this.#shape.columns;
  }

  *readRow(): Generator<void> {
    const { input, tables } = this.#reader;
    const start = input.pos;
    try {
      const end = this.#rowAt(start);
      if (end === INVALID) return yield* this.#skipRow(badRow.value);
      if (end === MORE) return input.isTooLong ? yield* this.#skipRow(badRow.tooLong) : yield* more(input);
      if (!this.#reader.hasHead) refuseFiltered(input, start, end);
      input.pos = end;
      this.isAfterRow = true;
      this.#add(end - start);
    } catch (problem) {
      tables.refuseIfWanted(this.#table, this.columns, problem);
      input.rewind(start);
    }
  }

  #rowAt(start: number): number {
    const { input, dialect } = this.#reader;
    const end = rowAt(input, start, dialect, this.#shape, this.#cell, this.#values);
    if (end < 0 || !this.#isFirst) return end;
    this.#isFirst = false;
    const { kinds, otherKind } = this.#shape;
    const count = this.#values.length;
    if (this.#shapes.length === 0) this.#shape = numberedColumns(this.#table, dialect.saysUtf8, count);
    else this.#shape = this.#shapes.find(({ columns }) => columns.length === count) ?? this.#shape;
    if (this.#shape.kinds === kinds && this.#shape.otherKind === otherKind) return end;
    input.rewind(start);
    return rowAt(input, start, dialect, this.#shape, this.#cell, this.#values);
  }

  #add(sizeBytes: number): void {
    const { tables } = this.#reader;
    const { columns } = this.#shape;
    const isWhole = this.#values.length === columns.length;
    const entry =
      sizeBytes > MAX_RECORD_BYTES
        ? badRow.tooLong
        : isWhole
          ? recordOf(columns, this.#values)
          : badRow.columns;
    tables.addRow(this.#table, columns, entry, sizeBytes);
  }

  *#skipRow(bad: BadRecord): Generator<void> {
    const { input, dialect, tables } = this.#reader;
    input.rewind(input.pos);
    // A row without an end is not invalid: the file is truncated, which is another problem.
    while (!(yield* skip(input, dialect, 'row'))) yield* more(input);
    this.isAfterRow = true;
    tables.addRow(this.#table, this.columns, bad, 0);
  }
}

/**
 * Refuses dumps whose lines were filtered, for example with `grep users`. Such a filter drops lines of
 * multi-line texts, so that a text of one user may end inside the row of another.
 */
function refuseFiltered(input: Input, start: number, end: number): void {
  const lineEnd = input.text.indexOf('\n', start);
  if (lineEnd === -1 || lineEnd >= end || !INSERT_LINE.test(input.text.slice(lineEnd, end))) return;
  throw input.problemAt(
    start,
    (place) =>
      `The row at ${place} has a text with a line that begins with INSERT, and the file has no settings (SET …) before it. ` +
      'If its lines were filtered out of a dump (grep), this line may be a row that nobody wrote. Name the whole dump.',
  );
}

const CARRIAGE_RETURN = 0x0d;
const BACKSLASH = 0x5c;
const END_MARK = '\\.';

/** Reads rows of COPY up to the line `\.`. Columns without names are numbered. */
export function* copyRows(
  { input, tables }: Reader,
  table: Table,
  named: readonly string[] | undefined,
): Generator<void> {
  const values: Values = [];
  let columns = named ?? numberedColumns(table, false).columns;
  while (isRead(table)) {
    const start = input.pos;
    const lineEnd = lineEndFrom(input, start);
    if (lineEnd === MORE && !input.isTooLong) {
      yield* more(input);
      continue;
    }
    if (lineEnd === MORE || lineEnd - start > MAX_RECORD_BYTES) {
      tables.addRow(table, columns, badRow.tooLong, 0);
      yield* skipLine(input);
      continue;
    }
    input.pos = Math.min(lineEnd + 1, input.text.length);
    const end = input.text.charCodeAt(lineEnd - 1) === CARRIAGE_RETURN ? lineEnd - 1 : lineEnd;
    if (end === start + 2 && input.text.startsWith(END_MARK, start)) return;
    try {
      const count = readCells(input, start, Math.max(start, end), values);
      if (named === undefined && count > 0) columns = numberedColumns(table, false, count).columns;
      const entry = count === columns.length ? recordOf(columns, values) : badRow.columns;
      tables.addRow(table, columns, entry, end - start);
    } catch (problem) {
      tables.refuseIfWanted(table, columns, problem);
    }
  }
  yield* skipCopy(input);
}

/** Returns MORE if more is needed. As the last line of the file, the end mark needs no line end. */
function lineEndFrom({ text, isEnd }: Input, start: number): number {
  let found = text.indexOf('\n', start);
  while (text.charCodeAt(found - 1) === BACKSLASH && isEscaped(text, found, start))
    found = text.indexOf('\n', found + 1);
  if (found !== -1 || !isEnd) return found === -1 ? MORE : found;
  return start === text.length - 2 && text.endsWith(END_MARK) ? text.length : MORE;
}

/** A line break after an odd number of backslashes is part of a value of COPY. */
function isEscaped(text: string, pos: number, start: number): boolean {
  let at = pos;
  while (at > start && text.charCodeAt(at - 1) === BACKSLASH) at--;
  return (pos - at) % 2 === 1;
}

function* skipLine(input: Input): Generator<void> {
  for (let found = -1; ; ) {
    const { text } = input;
    if (found < input.pos) found = indexFrom(text, '\n', input.pos);
    const backslash = input.backslashFrom(input.pos);
    if (found < backslash) {
      input.pos = found + 1;
      return;
    }
    if (backslash + 1 < text.length) input.pos = backslash + 2;
    else {
      input.pos = Math.min(backslash, text.length);
      yield* more(input);
      found = -1;
    }
  }
}

/** Above PostgreSQL's limit of 1,600 columns. */
const CELLS_MAX = 2000;

/** Returns the number of cells of a line of COPY, or -1 if there are too many. */
function readCells(input: Input, start: number, end: number, values: Values): number {
  const { text } = input;
  values.length = 0;
  for (let pos = start; values.length < CELLS_MAX; ) {
    const cellEnd = Math.min(input.tabFrom(pos), end);
    if (input.backslashFrom(pos) >= cellEnd) values.push(input.textBetween(pos, cellEnd));
    else if (cellEnd === pos + 2 && text.startsWith('\\N', pos)) values.push(null);
    else values.push(unescaped(input, pos, cellEnd));
    if (cellEnd === end) return values.length;
    pos = cellEnd + 1;
  }
  return -1;
}

function unescaped(input: Input, start: number, end: number): string {
  const bytes = unescapeBytes(input.bytes, start, end, ESCAPES.copy);
  // Escapes of COPY such as `\351` stand for single bytes, so the text is checked after they are replaced.
  if (input.foreignCharset !== undefined && input.hasWide(start, end)) throw input.notUtf8(start);
  if (!isUtf8(bytes)) throw input.notUtf8(start);
  return bytes.toString();
}

/** Skips the rows of COPY and their end mark. */
function* skipCopy(input: Input): Generator<void> {
  for (;;) {
    const { text, isEnd } = input;
    // The line break before the end mark of COPY belongs to the previous line.
    let found = text.indexOf(`\n${END_MARK}`, input.pos - 1);
    while (found !== -1) {
      const after = text.startsWith('\r', found + 3) ? found + 4 : found + 3;
      if (text[after] === '\n' || (isEnd && after === text.length)) {
        input.pos = Math.min(text.length, after + 1);
        return;
      }
      if (after === text.length) break;
      found = text.indexOf(`\n${END_MARK}`, found + 1);
    }
    input.pos = found === -1 ? Math.max(input.pos, text.length - 1) : found + 1;
    yield* more(input);
  }
}

/** @throws FileProblem if the rows of COPY are in the CSV or binary format instead of the text format */
export const refuseFormat = () =>
  new FileProblem(
    'FILE_INVALID',
    'Rows of COPY are not in its text format: dump them as pg_dump does, without options of COPY.',
  );
