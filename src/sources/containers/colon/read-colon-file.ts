import { LineSplitter, type RowReader, readOneTable } from '../one-table.ts';
import {
  BadRecord,
  type Beginning,
  type Container,
  type KindMatch,
  linesOf,
  type SourceRecord,
} from '../table.ts';
import type { ColonFile } from './colon-files.ts';

/** Many times longer than a line with the longest hash. */
const MAX_LINE_CHARS = 65_536;

/** The beginning of a file with colons fits if every account in it fits. */
export const matchColonFile =
  (kind: ColonFile) =>
  (beginning: Beginning): KindMatch => {
    const lines = linesOf(beginning);
    const rows = lines.filter((line) => !kind.comment.test(line));
    const [first] = rows;
    if (first === undefined || !kind.line.test(first) || kind.isOurs?.(rows, lines) === false)
      return undefined;
    const wrong = rows.find((line) => !kind.line.test(line));
    return wrong === undefined ? 'fits' : { but: `line ${lines.indexOf(wrong) + 1} has other fields` };
  };

/** Reads lines of a file with colons independently: a bad line never affects the next one. */
export const colonContainer =
  (kind: ColonFile): Container =>
  (bytes, _options, wanted) => {
    const splitter = new LineSplitter(MAX_LINE_CHARS);
    const reader: RowReader = {
      push: (block, isLast) =>
        splitter
          .push(block, isLast)
          .filter((line) => line === undefined || !kind.comment.test(line))
          .map((line) => readLine(kind, line)),
      describe: () => ({ columns: new Set(kind.columns) }),
    };
    return readOneTable(kind.name, bytes, reader, wanted);
  };

function readLine(kind: ColonFile, line: string | undefined): SourceRecord | BadRecord {
  if (line === undefined) return new BadRecord('RECORD_TOO_LONG', 'The line is longer than 64 KiB.');
  const fields = kind.split?.(line) ?? line.split(':');
  const { title, expected, columns, otherColumns, required = columns.length } = kind;
  const names = fields.length === otherColumns?.length ? otherColumns : columns;
  if (fields[0] === '' || fields.length < required || fields.length > names.length)
    return new BadRecord(
      'COLUMNS_MISSING',
      `The line has ${line.split(':').length} fields between colons, or no name; ${title} has ${expected}.`,
    );
  const cells = names.map((name, index) => [name, fields[index] ?? ''] as const);
  return Object.fromEntries(cells.filter(([name]) => name !== ''));
}
