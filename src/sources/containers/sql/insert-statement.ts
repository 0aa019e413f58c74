import { insertHeadAt } from './insert-head.ts';
import { insertRows } from './insert-rows.ts';
import { type Mode, qualifiedName, type Reader, type StatementReader } from './reader.ts';
import { type RowShape, shapesOf } from './row-shape.ts';
import { skipStatement } from './skip.ts';
import { addBadRow, isRead, type Table, tableNamed } from './tables.ts';
import type { Window } from './window.ts';

const NO_VALUES = 'INSERT … SELECT and INSERT … SET cannot be read, only rows after VALUES.';

/** INSERT and REPLACE. */
export const insertStatement: StatementReader = (reader, window, end, then) => {
  const { dialect, tables } = reader;
  const head = insertHeadAt(window, end, dialect);
  if (head === undefined) return undefined;
  if (head === null) return skipStatement(reader, 'statement', then);
  const table = tableNamed(tables, qualifiedName(reader, head.table));
  if (head.end === undefined) {
    if (isRead(table)) addBadRow(tables, table, head.columns ?? [], 'SQL_INVALID', NO_VALUES);
    return skipStatement(reader, 'statement', then);
  }
  const shapes = shapesOf(head.columns, table.created, dialect.saysUtf8);
  reader.lastInsert = { head: window.text.slice(window.pos, head.end), table, shapes };
  window.pos = head.end;
  return rowsOf(reader, table, shapes, then);
};

/** An INSERT that begins as the one before; undefined where it does not. */
export function sameInsert(reader: Reader, window: Window, then: Mode): Mode | undefined {
  const { lastInsert } = reader;
  if (lastInsert === undefined || !window.text.startsWith(lastInsert.head, window.pos)) return undefined;
  window.pos += lastInsert.head.length;
  return rowsOf(reader, lastInsert.table, lastInsert.shapes, then);
}

const rowsOf = (reader: Reader, table: Table, shapes: readonly RowShape[], then: Mode): Mode =>
  isRead(table) ? insertRows(reader, table, shapes, then) : skipStatement(reader, 'statement', then);
