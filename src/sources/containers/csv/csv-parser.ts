import { BadRecord, FileProblem, type SourceRecord } from '../table.ts';
import { type CsvColumns, cellsProblem, recordMaker } from './csv-columns.ts';
import type { CsvDialect } from './csv-dialect.ts';
import { createRecordScanner } from './record-scanner.ts';
import { createRecordSkipper, type RecordSkipper } from './record-skipper.ts';

/** Maximum length of a row of a CSV file. No real user has a row as long. */
export const MAX_RECORD_CHARS = 1_048_576;

export interface CsvParser {
  /**
   * Returns the CSV records completed by this block of text, or all remaining records if `isLast`. Blank
   * lines are skipped.
   */
  push(block: string, isLast: boolean): (SourceRecord | BadRecord)[];
  /** Returns how many of the CSV records read so far contain a backslash that was read as an escape. */
  withBackslashes(): number;
}

const tooLong = new BadRecord('RECORD_TOO_LONG', 'The row is longer than 1 MiB.');

/**
 * Parses the rows of a CSV file after its header. The dialect was chosen from the whole file, so a row that
 * does not fit means that the file was changed meanwhile.
 */
export function createCsvParser(dialect: CsvDialect, columns: CsvColumns): CsvParser {
  const scanner = createRecordScanner(dialect);
  const { makeRecord, makePartial } = recordMaker(columns);
  let text = '';
  let at = 0;
  let records: (SourceRecord | BadRecord)[] = [];
  let withBackslashes = 0;
  /** Finds the end of a CSV record that is too long. Undefined while no such record is being skipped. */
  let skipper: RecordSkipper | undefined;
  /**
   * Minimum length of text before an unfinished CSV record is scanned again. It doubles each time, so the
   * total work is at most twice the length of the record.
   */
  let enoughChars = 0;

  /** Reads one CSV record. @returns false if more text is needed */
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

  /**
   * Returns whether the CSV row is a blank line. In a file with one column, a blank line is a row with an
   * empty cell.
   */
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
