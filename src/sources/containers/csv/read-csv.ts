import { type RowReader, readOneTable } from '../one-table.ts';
import { type Container, FileProblem, type ReadOptions } from '../table.ts';
import { type CsvColumns, columnsOf } from './csv-columns.ts';
import { type SniffedCsv, sniffCsv } from './csv-dialect.ts';
import { type CsvParser, createCsvParser, MAX_RECORD_CHARS } from './csv-parser.ts';
import { createRecordScanner } from './record-scanner.ts';

/** What is known when the first record was read. */
interface Begun {
  columns: CsvColumns;
  parser: CsvParser;
  /** Where the rows begin. */
  start: number;
}

/** Reads CSV: commas, semicolons, tabs or bars; LF, CRLF or CR; with a header or without. */
export const readCsv: Container = (bytes, options, wanted) =>
  readOneTable('csv', bytes, createCsvReader(options), wanted);

function createCsvReader({ csvHeader }: ReadOptions): RowReader {
  /** The beginning, until the first record ends. */
  let text = '';
  let begun: Begun | undefined;
  let noted = 0;
  return {
    push(block, isLast) {
      if (begun !== undefined) return begun.parser.push(block, isLast);
      text += block;
      begun = begin(text, csvHeader, isLast);
      if (begun === undefined) return [];
      const rows = text.slice(begun.start);
      text = '';
      return begun.parser.push(rows, isLast);
    },
    describe() {
      if (begun === undefined) return undefined;
      const { names, hasHeader } = begun.columns;
      return hasHeader ? { columns: new Set(names) } : { columns: new Set(), cells: names.length };
    },
    takeNotes() {
      const count = (begun?.parser.withBackslashes() ?? 0) - noted;
      noted += count;
      return count > 0
        ? { 'rows with backslashes before quotes, which were taken for escapes': count }
        : undefined;
    },
  };
}

/** Looks at the first record; undefined where it does not end yet, or there is none. */
function begin(text: string, csvHeader: boolean | undefined, isWhole: boolean): Begun | undefined {
  const sniffed = sniffCsv(text, isWhole);
  if (sniffed === undefined && text.length > MAX_RECORD_CHARS) throw headerProblem('is longer than 1 MiB');
  if (sniffed === undefined || sniffed.start >= text.length) return undefined;
  return beginAt(sniffed, text, csvHeader, isWhole);
}

function beginAt(
  { dialect, start }: SniffedCsv,
  text: string,
  csvHeader: boolean | undefined,
  isWhole: boolean,
): Begun | undefined {
  const scanner = createRecordScanner(dialect);
  scanner.setText(text, isWhole);
  const scan = scanner.scan(start, true);
  if (scan === 'invalid') throw headerProblem('has a quoted cell that does not end before a delimiter');
  if (scan === 'unfinished') {
    if (text.length - start > MAX_RECORD_CHARS) throw headerProblem('is longer than 1 MiB');
    return undefined;
  }
  const columns = columnsOf(scanner.cells.slice(0, scanner.count), csvHeader);
  return {
    columns,
    parser: createCsvParser(dialect, columns),
    start: columns.hasHeader ? scanner.next : start,
  };
}

const headerProblem = (what: string) =>
  new FileProblem('FILE_INVALID', `The first line of the CSV file ${what}: its columns cannot be told.`);
