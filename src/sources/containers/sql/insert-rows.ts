import { MAX_RECORD_BYTES } from '../held-records.ts';
import { BadRecord, FileProblem } from '../table.ts';
import { INVALID, MORE, newCell } from './cell.ts';
import type { Mode, Reader } from './reader.ts';
import { recordOf, type Values } from './record.ts';
import { rowAt } from './row.ts';
import { numberedColumns, type RowShape } from './row-shape.ts';
import { scanOn } from './scan.ts';
import { startScan } from './scan-state.ts';
import { skipRows } from './skip.ts';
import { addRow, isRead, refuseIfWanted, type Table } from './tables.ts';
import { matchAt, skipSpace } from './tokens.ts';
import { isTooLong, placeOf, rewind, unreadable, type Window } from './window.ts';

const NEXT = /(?:INSERT\s|GO[ \t]*\r?(?:\n|$))/iy;

const INSERT_LINE = /\n(?:INSERT|REPLACE)\s/i;

/**
 * Refuses SQL dumps whose lines were filtered, for example with `grep users`. Such a filter drops lines of
 * multi-line texts, so that a text of one user may end inside the row of another.
 */
function refuseFiltered(window: Window, start: number, end: number): void {
  const lineEnd = window.text.indexOf('\n', start);
  if (lineEnd === -1 || lineEnd >= end || !INSERT_LINE.test(window.text.slice(lineEnd, end))) return;
  throw new FileProblem(
    'FILE_INVALID',
    `The row at ${placeOf(window, start)} has a text with a line that begins with INSERT, and the file has no settings (SET …) before it. ` +
      'If its lines were filtered out of a dump (grep), this line may be a row that nobody wrote. Name the whole dump.',
  );
}

const TOO_LONG = `The row is longer than ${MAX_RECORD_BYTES} bytes.`;
const COLUMNS_MISSING = 'The number of values in the row differs from the number of columns.';
const SQL_INVALID = 'The row has a value that is neither a text nor a number nor a function that dumps use.';
const NO_ROWS = 'The statement has no readable rows.';

/**
 * Reads the rows of INSERT, from after VALUES to the end of the statement.
 * @param shapes possible columns. The first with as many columns as the first row has values is used. If
 * there is none, columns are numbered
 */
export function insertRows(
  reader: Reader,
  table: Table,
  shapes: readonly RowShape[],
  hadRows: boolean,
  then: Mode,
): Mode {
  const { tables, dialect } = reader;
  const cell = newCell();
  const values: Values = [];
  let shape = shapes[0] ?? numberedColumns(table, dialect.saysUtf8);
  let isFirst = true;
  let isAfterRow = false;

  const mode: Mode = (window) => {
    while (isRead(table)) {
      const start = skipSpace(window, window.pos, dialect);
      const sign = start < 0 ? '' : window.text.charAt(start);
      if (sign === '(' && !isAfterRow) {
        try {
          const next = readRow(window, start);
          if (next !== mode) return next;
        } catch (problem) {
          refuseIfWanted(tables, table, shape.columns, problem);
          rewind(window, start);
        }
      } else if (sign === ',' && isAfterRow) {
        window.pos = start + 1;
        isAfterRow = false;
      } else {
        window.pos = Math.max(window.pos, start);
        return sign === '' ? atEnd(window) : afterRows(window, sign);
      }
    }
    return skipRows(reader, table, hadRows, then);
  };

  const readRow = (window: Window, start: number): Mode | undefined => {
    let end = rowAt(window, start, dialect, shape, cell, values);
    if (end > 0 && isFirst && fitShape()) {
      rewind(window, start);
      end = rowAt(window, start, dialect, shape, cell, values);
    }
    if (end === MORE) {
      window.pos = start;
      return isTooLong(window) ? passRow(window, start, 'RECORD_TOO_LONG', TOO_LONG) : undefined;
    }
    if (end === INVALID) return passRow(window, start, 'SQL_INVALID', SQL_INVALID);
    if (!reader.hasHead) refuseFiltered(window, start, end);
    isFirst = false;
    isAfterRow = true;
    window.pos = end;
    if (end - start > MAX_RECORD_BYTES) bad('RECORD_TOO_LONG', TOO_LONG);
    else if (values.length !== shape.columns.length) bad('COLUMNS_MISSING', COLUMNS_MISSING);
    else addRow(tables, table, shape.columns, recordOf(shape.columns, values), end - start);
    return mode;
  };

  /**
   * Returns whether the first row of INSERT must be read again, because the kinds of columns have changed.
   */
  const fitShape = (): boolean => {
    const before = shape;
    if (shapes.length === 0) shape = numberedColumns(table, dialect.saysUtf8, values.length);
    else shape = shapes.find(({ columns }) => columns.length === values.length) ?? shape;
    isFirst = false;
    return shape.kinds !== before.kinds || shape.otherKind !== before.otherKind;
  };

  const bad = (problem: 'SQL_INVALID' | 'RECORD_TOO_LONG' | 'COLUMNS_MISSING', message: string) =>
    addRow(tables, table, shape.columns, new BadRecord(problem, message), 0);

  const passRow = (
    window: Window,
    start: number,
    problem: 'SQL_INVALID' | 'RECORD_TOO_LONG',
    message: string,
  ): Mode => {
    rewind(window, start);
    const scan = startScan('row');
    isAfterRow = true;
    return (at) => {
      if (!scanOn(at, dialect, scan)) return undefined;
      // A row of INSERT without an end is not invalid: the file is truncated, which is another problem.
      bad(problem, message);
      return mode;
    };
  };

  const atEnd = (window: Window): Mode | undefined => {
    if (isTooLong(window)) throw unreadable(window, window.pos, 'The text between rows');
    return isAfterRow && window.isEnd && reader.hasNoSemicolons ? then : undefined;
  };

  const afterRows = (window: Window, sign: string): Mode => {
    if (sign === ';') window.pos++;
    if (sign !== ';' && !/[A-Za-z]/.test(sign)) throw unreadable(window, window.pos, 'The text after a row');
    if (!isAfterRow) bad('SQL_INVALID', NO_ROWS);
    if (sign === ';') return then;
    if (matchAt(NEXT, window.text, window.pos) !== undefined) reader.hasNoSemicolons = true;
    if (isAfterRow && reader.hasNoSemicolons) return then;
    // ON CONFLICT DO NOTHING, RETURNING, AS new ON DUPLICATE KEY UPDATE or similar follows the rows of
    // INSERT.
    return skipRows(reader, table, hadRows, then);
  };
  return mode;
}
