import { FileProblem } from '../table.ts';
import { insertHeadAt } from './insert-head.ts';
import { insertRows } from './insert-rows.ts';
import { type Insert, type Mode, type Reader, type StatementReader, tableOf } from './reader.ts';
import { shapesOf } from './row-shape.ts';
import { embedsBackslashes } from './session.ts';
import { skipRows, skipStatement } from './skip.ts';
import { isRead, noteChange, noteRows, type Table } from './tables.ts';
import { placeOf, type Window } from './window.ts';

export const insertStatement: StatementReader = (reader, window, end, then) => {
  const head = insertHeadAt(window, end, reader.dialect);
  if (head === undefined) return undefined;
  if (head === null) return skipStatement(reader, 'statement', then);
  const table = tableOf(reader, head.table);
  if (head.end === undefined) {
    noteChange(table, `INSERT at ${placeOf(window, window.pos)} has no readable rows after VALUES`);
    return skipStatement(reader, 'statement', then);
  }
  const shapes = shapesOf(head.columns, table.created, reader.dialect.saysUtf8);
  const replaces = head.replaces || /^R/i.test(window.text.charAt(window.pos));
  reader.lastInsert = { head: window.text.slice(window.pos, head.end), table, shapes, replaces };
  return rowsOf(reader, window, head.end, reader.lastInsert, then);
};

/** Saves parsing an INSERT that begins like the previous one, as most do. Returns undefined for others. */
export function sameInsert(reader: Reader, window: Window, then: Mode): Mode | undefined {
  const { lastInsert } = reader;
  if (lastInsert === undefined || !window.text.startsWith(lastInsert.head, window.pos)) return undefined;
  return rowsOf(reader, window, window.pos + lastInsert.head.length, lastInsert, then);
}

function rowsOf(
  reader: Reader,
  window: Window,
  end: number,
  { table, shapes, replaces }: Insert,
  then: Mode,
): Mode {
  const hadRows = table.met !== undefined;
  beginRows(reader, window, table, replaces ? 'REPLACE' : 'INSERT');
  // mysqldump --replace writes each row once, so its REPLACE statements replace nothing.
  if (replaces && hadRows && !(reader.completeness.dumps > 0 && table.met?.verb === 'REPLACE'))
    noteChange(table, `REPLACE at ${placeOf(window, window.pos)} may replace rows before it`);
  window.pos = end;
  return isRead(table)
    ? insertRows(reader, table, shapes, hadRows, then)
    : skipRows(reader, table, hadRows, then);
}

/**
 * @throws FileProblem ENCODING_INVALID if the declared encoding may have quotes or backslashes in
 * characters
 */
export function beginRows(reader: Reader, window: Window, table: Table, verb: string): void {
  const { tables, database } = reader;
  noteRows(tables, table, verb, database);
  if (table.met?.database !== database)
    noteChange(
      table,
      `its rows are of several databases, of which ${database} begins before ${placeOf(window, window.pos)}`,
    );
  const charset = window.foreignCharset;
  if (charset === undefined || !embedsBackslashes(charset)) return;
  throw new FileProblem(
    'ENCODING_INVALID',
    `The dump says at ${placeOf(window, window.pos)} that its text is in ${charset}. Name the encoding: --encoding ${labelOf(charset)}.`,
  );
}

/** Returns the name that TextDecoder has for a charset of MySQL, for `--encoding`. */
const labelOf = (charset: string): string =>
  /^(?:sjis|shift|cp932|win932|mskanji)/.test(charset)
    ? 'shift_jis'
    : /^(?:uhc|win949)/.test(charset)
      ? 'euc-kr'
      : charset;
