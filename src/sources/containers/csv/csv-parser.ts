import { BadRecord, FileProblem, type SourceRecord } from '../table.ts';
import { type CsvColumns, cellsProblem, recordMaker } from './csv-columns.ts';
import type { CsvDialect } from './csv-dialect.ts';
import { createRecordScanner } from './record-scanner.ts';
import { createRecordSkipper, type RecordSkipper } from './record-skipper.ts';

/** No real user has a CSV row as long. */
export const MAX_RECORD_CHARS = 1_048_576;

export interface CsvParser {
  /** Returns the CSV records that this block completes, or all if `isLast`. Blank lines are skipped. */
  push(block: string, isLast: boolean): (SourceRecord | BadRecord)[];
  /** Number of CSV records so far with a backslash that was read as an escape. */
  withBackslashes(): number;
}

const tooLong = new BadRecord('RECORD_TOO_LONG', 'The row is longer than 1 MiB.');

/** The dialect fits the whole CSV file, so a row that does not fit was changed meanwhile. */
export function createCsvParser(dialect: CsvDialect, columns: CsvColumns): CsvParser {
  const scanner = createRecordScanner(dialect);
  const { makeRecord, makePartial } = recordMaker(columns);
  let text = '';
  let at = 0;
  let records: (SourceRecord | BadRecord)[] = [];
  let withBackslashes = 0;
  /** Undefined while no CSV record that is too long is being skipped. */
  let skipper: RecordSkipper | undefined;
  /** Doubled after each scan of an unfinished CSV record, so the work is at most twice its length. */
  let enoughChars = 0;

  /** Returns false if more text of the CSV file is needed. */
  function step(): boolean {
    const scan = scanner.scan(at);
    if (scan === 'invalid')
      throw new FileProblem(
        'FILE_INVALID',
        'The CSV file was changed while it was read. Run it again when no program writes to it any more.',
      );
    if (scan === 'unfinished') {
      if (text.length - at <= MAX_RECORD_CHARS) return false;
      records.push(tooLong);
      skipper = createRecordSkipper(dialect);
      skipRecord(skipper);
      return true;
    }
    const { cells, count, next } = scanner;
    if (next - at > MAX_RECORD_CHARS) records.push(tooLong);
    else if (!isBlank(next)) {
      const problem = cellsProblem(cells, count, columns);
      if (problem === undefined) {
        records.push(makeRecord(cells, count));
        if (scanner.hasBackslashes) withBackslashes++;
      } else records.push(new BadRecord('COLUMNS_MISSING', problem, makePartial(cells, count)));
    }
    at = next;
    return true;
  }

  /** In a CSV file with one column, a blank line is a row with an empty cell. */
  const isBlank = (next: number) =>
    scanner.count === 1 && scanner.cells[0] === '' && columns.names.length > 1 && next - at <= 2;

  function skipRecord(open: RecordSkipper): void {
    const next = open.skip(text, at);
    if (next !== undefined) skipper = undefined;
    at = next ?? text.length;
  }

  return {
    push(block, isLast) {
      text = text.slice(at) + block;
      at = 0;
      if (text.length < enoughChars && !isLast) return [];
      records = [];
      scanner.setText(text, isLast);
      if (skipper !== undefined) skipRecord(skipper);
      while (at < text.length && step());
      enoughChars = Math.min(2 * (text.length - at), MAX_RECORD_CHARS + 1);
      return records;
    },
    withBackslashes: () => withBackslashes,
  };
}
