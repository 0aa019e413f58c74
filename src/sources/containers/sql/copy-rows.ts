import { isUtf8 } from 'node:buffer';
import { MAX_RECORD_BYTES } from '../held-records.ts';
import { BadRecord } from '../table.ts';
import { COPY_CELL } from './escapes.ts';
import type { Mode, Reader } from './reader.ts';
import { recordOf, type Values } from './record.ts';
import { numberedColumns } from './row-shape.ts';
import { addRow, isRead, refuseIfWanted, type Table } from './tables.ts';
import { unescapeBytes } from './unescape.ts';
import { backslashFrom, hasWide, isTooLong, notUtf8, tabFrom, textBetween, type Window } from './window.ts';

const CARRIAGE_RETURN = 0x0d;
const BACKSLASH = 0x5c;
const END_MARK = '\\.';

const TOO_LONG = `The row is longer than ${MAX_RECORD_BYTES} bytes.`;
const COLUMNS_MISSING = 'The number of values in the row differs from the number of columns of COPY.';

/** Reads rows of COPY up to the line `\.`. Columns without names are numbered. */
export function copyRows(
  reader: Reader,
  table: Table,
  named: readonly string[] | undefined,
  then: Mode,
): Mode {
  const { tables } = reader;
  const values: Values = [];
  let columns = named ?? numberedColumns(table, false).columns;
  const mode: Mode = (window) => {
    while (isRead(table)) {
      const start = window.pos;
      const lineEnd = lineEndFrom(window, start);
      if (lineEnd === -1) {
        if (!isTooLong(window)) return undefined;
        addRow(tables, table, columns, new BadRecord('RECORD_TOO_LONG', TOO_LONG), 0);
        return skipLine(mode);
      }
      window.pos = Math.min(lineEnd + 1, window.text.length);
      const end = window.text.charCodeAt(lineEnd - 1) === CARRIAGE_RETURN ? lineEnd - 1 : lineEnd;
      if (end === start + 2 && window.text.startsWith(END_MARK, start)) return then;
      if (lineEnd - start > MAX_RECORD_BYTES) {
        addRow(tables, table, columns, new BadRecord('RECORD_TOO_LONG', TOO_LONG), 0);
        continue;
      }
      try {
        const count = readCells(window, start, Math.max(start, end), values);
        if (named === undefined && count > 0) columns = numberedColumns(table, false, count).columns;
        if (count === columns.length) {
          addRow(tables, table, columns, recordOf(columns, values), end - start);
        } else {
          addRow(tables, table, columns, new BadRecord('COLUMNS_MISSING', COLUMNS_MISSING), 0);
        }
      } catch (problem) {
        refuseIfWanted(tables, table, columns, problem);
      }
    }
    return skipRows(then);
  };
  return mode;
}

/**
 * Returns -1 if more is needed. As the last line of the file, the end mark `\.` of COPY needs no line end.
 */
function lineEndFrom({ text, isEnd }: Window, start: number): number {
  let found = text.indexOf('\n', start);
  while (text.charCodeAt(found - 1) === BACKSLASH && isEscaped(text, found, start))
    found = text.indexOf('\n', found + 1);
  if (found !== -1 || !isEnd) return found;
  return start === text.length - 2 && text.endsWith(END_MARK) ? text.length : -1;
}

/** A line break after an odd number of backslashes is part of a value of COPY. */
function isEscaped(text: string, pos: number, start: number): boolean {
  let at = pos;
  while (at > start && text.charCodeAt(at - 1) === BACKSLASH) at--;
  return (pos - at) % 2 === 1;
}

const skipLine =
  (then: Mode): Mode =>
  (window) => {
    const { text } = window;
    for (let pos = window.pos; ; ) {
      const found = text.indexOf('\n', pos);
      const backslash = backslashFrom(window, pos);
      if (found !== -1 && found < backslash) {
        window.pos = found + 1;
        return then;
      }
      if (backslash + 1 >= text.length) {
        window.pos = Math.min(backslash, text.length);
        return undefined;
      }
      pos = backslash + 2;
    }
  };

/** Above PostgreSQL's limit of 1,600 columns. */
const CELLS_MAX = 2000;

/** Returns the number of cells of a line of COPY, or -1 if there are too many. */
function readCells(window: Window, start: number, end: number, values: Values): number {
  const { text } = window;
  values.length = 0;
  for (let pos = start; values.length < CELLS_MAX; ) {
    const cellEnd = Math.min(tabFrom(window, pos), end);
    if (backslashFrom(window, pos) >= cellEnd) values.push(textBetween(window, pos, cellEnd));
    else if (cellEnd === pos + 2 && text.startsWith('\\N', pos)) values.push(null);
    else values.push(unescaped(window, pos, cellEnd));
    if (cellEnd === end) return values.length;
    pos = cellEnd + 1;
  }
  return -1;
}

function unescaped(window: Window, start: number, end: number): string {
  const bytes = unescapeBytes(window.bytes, start, end, COPY_CELL);
  // Escapes of COPY such as `\351` stand for single bytes, so the text is checked after they are replaced.
  if (window.foreignCharset !== undefined && hasWide(window, start, end)) throw notUtf8(window, start);
  if (!isUtf8(bytes)) throw notUtf8(window, start);
  return bytes.toString();
}

const skipRows =
  (then: Mode): Mode =>
  (window) => {
    const { text, isEnd } = window;
    // The line break before the end mark of COPY belongs to the previous line.
    for (let from = window.pos - 1; ; from++) {
      from = text.indexOf(`\n${END_MARK}`, from);
      if (from === -1) {
        window.pos = Math.max(window.pos, isEnd ? text.length : text.length - 1);
        return undefined;
      }
      const after = from + 3;
      const lineEnd = text.startsWith('\r', after) ? after + 1 : after;
      if (lineEnd === text.length && !isEnd) {
        window.pos = from + 1;
        return undefined;
      }
      if (lineEnd === text.length || text[lineEnd] === '\n') {
        window.pos = Math.min(text.length, lineEnd + 1);
        return then;
      }
    }
  };
