import { BadRecord, FileProblem, type SourceRecord } from '../table.ts';
import { type CsvColumns, cellsProblem, recordMaker } from './csv-columns.ts';
import type { CsvDialect } from './csv-dialect.ts';
import { createRecordScanner } from './record-scanner.ts';
import { createRecordSkipper, type RecordSkipper } from './record-skipper.ts';

/** Longer than any user. */
export const MAX_RECORD_CHARS = 1_048_576;

export interface CsvParser {
  /** The records that end in this block or before; in the last one, all. Blank lines are none. */
  push(block: string, isLast: boolean): (SourceRecord | BadRecord)[];
  /** Of all records so far: the number of those with backslashes that are escapes. */
  withBackslashes(): number;
}

const tooLong = new BadRecord('RECORD_TOO_LONG', 'The row is longer than 1 MiB.');

/** Reads the rows after the header. The dialect was chosen by the whole file, which fits it. */
export function createCsvParser(dialect: CsvDialect, columns: CsvColumns): CsvParser {
  const scanner = createRecordScanner(dialect);
  const { makeRecord, makePartial } = recordMaker(columns);
  let text = '';
  let at = 0;
  let records: (SourceRecord | BadRecord)[] = [];
  let withBackslashes = 0;
  /** Of a record that is too long, until its end is found. */
  let skipper: RecordSkipper | undefined;
  /** Less text than this is not tried again for a record that did not end: what is long is read at most twice. */
  let enoughChars = 0;

  /** Reads one record. @returns false if more text is needed */
  function step(): boolean {
    const scan = scanner.scan(at);
    if (scan === 'invalid')
      throw new FileProblem('FILE_INVALID', 'The CSV file has changed since it was surveyed.');
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

  /** In a file with one column, a blank line is a row with an empty cell. */
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
