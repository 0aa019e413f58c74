import { FileProblem } from '../table.ts';
import { copyRows } from './copy-rows.ts';
import { namesAt } from './insert-head.ts';
import { beginRows } from './insert-statement.ts';
import { type StatementReader, sessionChanged, tableOf } from './reader.ts';
import { withoutGenerated } from './row-shape.ts';
import { becomes } from './session.ts';
import { skipPast, skipStatement } from './skip.ts';
import { tableNameAt } from './table-name.ts';
import { beginTable, noteChange } from './tables.ts';
import { tokenAt } from './tokens.ts';
import { placeOf } from './window.ts';

/**
 * Reads COPY … FROM stdin and its rows. Other COPY statements have no rows in the SQL dump.
 * @throws FileProblem FILE_INVALID if the rows are in the CSV or binary format instead of the text format
 */
export const copyStatement: StatementReader = (reader, window, start, then) => {
  const { dialect, tables } = reader;
  const first = tokenAt(window, start, dialect);
  const name = first && tableNameAt(window, first, dialect);
  if (name === undefined) return undefined;
  const names = name && namesAt(window, name.next, dialect);
  if (names === undefined) return undefined;
  if (name === null || names === null || names.next.text !== 'FROM')
    return skipStatement(reader, 'statement', then);
  const from = tokenAt(window, names.next.end, dialect);
  const end = from && tokenAt(window, from.end, dialect);
  if (from === undefined || end === undefined) return undefined;
  const table = tableOf(reader, name.parts);
  if (from.text !== 'STDIN') {
    noteChange(table, `COPY at ${placeOf(window, window.pos)} reads rows that are not in the dump`);
    return skipStatement(reader, 'statement', then);
  }
  if (end.text !== ';') {
    throw new FileProblem(
      'FILE_INVALID',
      'Rows of COPY are not in its text format: dump them as pg_dump does, without options of COPY.',
    );
  }
  if (reader.session.family === 'standard') becomes(reader.session, 'postgres');
  sessionChanged(reader, window);
  beginRows(reader, window, table, 'COPY');
  const created = table.created && withoutGenerated(table.created).map((column) => column.name);
  const columns = names.names ?? created;
  window.pos = end.end;
  return skipPast('\n', (window) => {
    beginTable(tables, table, columns ?? []);
    return copyRows(reader, table, columns, then)(window);
  });
};
