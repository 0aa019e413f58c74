import { BadRecord, type SourceRecord } from '../table.ts';
import { type CsvColumns, cellsProblem, recordMaker } from './csv-columns.ts';
import type { CsvDialect } from './csv-dialect.ts';
import { createRecordScanner, type Scan } from './record-scanner.ts';

/** Longer than any user; what an unclosed quote may swallow. */
export const MAX_RECORD_CHARS = 1_048_576;

/** Text that may be read again after records that failed, besides some times what was passed: reading stays linear. */
const SPARE_CHARS = 32 * MAX_RECORD_CHARS;
const SPARE_TIMES = 4;

export interface CsvParser {
  /** The records that end in this block or before; in the last one, all. Blank lines are none. */
  push(block: string, isLast: boolean): (SourceRecord | BadRecord)[];
  /** Of all records so far: in how many were backslashes that are escapes? */
  withBackslashes(): number;
}

const tooLong = new BadRecord(
  'RECORD_TOO_LONG',
  'The row is longer than 1 MiB. Is a quote never closed? The line after its first one is read as the next row.',
);

const badQuotes = new BadRecord(
  'CSV_INVALID',
  'A quoted cell does not end before a delimiter or line end, with doubled quotes nor with backslashes. The next line is read as the next row.',
);

/** Reads the rows after the header. */
export function createCsvParser(dialect: CsvDialect, columns: CsvColumns): CsvParser {
  const scanner = createRecordScanner(dialect);
  const { makeRecord, makePartial } = recordMaker(columns);
  let text = '';
  let at = 0;
  let records: (SourceRecord | BadRecord)[] = [];
  let withBackslashes = 0;
  /** Is the rest of a line passed over, to its end? */
  let isSkipping = false;
  /** Of text that is not kept any more. */
  let passedChars = 0;
  /** Of text that was or will be read again. */
  let wastedChars = 0;
  /** Before there is so much text a record that does not end in it is not tried again: at most twice is read what is long. */
  let enoughChars = 0;

  /** Reads one record, or passes over one that cannot be read. @returns false where more text is needed */
  function step(): boolean {
    const scan = scanner.scan(at, true);
    if (scan === 'record' && scanner.next - at <= MAX_RECORD_CHARS) return takeRecord();
    if (scan === 'unfinished' && text.length - at <= MAX_RECORD_CHARS) return false;
    const shown = scan === 'unfinished' ? text.length : scanner.next;
    // Backslashes that the strict reading took for text may be what makes the record endless, or wrong.
    const escaped = scanWithBackslashes(shown);
    if (escaped === 'record') return keepRecord();
    if (escaped === 'unfinished') return false;
    records.push(shown - at > MAX_RECORD_CHARS ? tooLong : badQuotes);
    const newline = text.indexOf(dialect.newline, at);
    if (newline >= 0) wastedChars += Math.max(0, shown - newline);
    skipLine(isAffordable() ? at : shown);
    return true;
  }

  function takeRecord(): boolean {
    const { cells, count, next } = scanner;
    if (count === 1 && cells[0] === '' && next - at <= 2) {
      at = next;
      return true;
    }
    const problem = cellsProblem(cells, count, columns);
    if (problem === undefined) return keepRecord();
    const escaped = scanWithBackslashes(next);
    if (escaped === 'record') return keepRecord();
    if (escaped === 'unfinished') return false;
    records.push(new BadRecord('COLUMNS_MISSING', problem, makePartial(cells, count)));
    at = next;
    return true;
  }

  function keepRecord(): boolean {
    records.push(makeRecord(scanner.cells, scanner.count));
    if (scanner.hasBackslashes) withBackslashes++;
    at = scanner.next;
    return true;
  }

  /** Reads the record with backslashes as escapes, wherever they stand. @param shown so far the text was looked at */
  function scanWithBackslashes(shown: number): Scan {
    if (!text.slice(at, shown + 1).includes('\\"') || !isAffordable()) return 'invalid';
    const scan = scanner.scan(at, false);
    const end = scan === 'unfinished' ? text.length : scanner.next;
    wastedChars += end - at;
    if (end - at > MAX_RECORD_CHARS) return 'invalid';
    if (scan !== 'record') return scan;
    return cellsProblem(scanner.cells, scanner.count, columns) === undefined ? scan : 'invalid';
  }

  /** May more be read again than was already? */
  const isAffordable = () => wastedChars <= SPARE_CHARS + SPARE_TIMES * (passedChars + at);

  function skipLine(from: number): void {
    const newline = text.indexOf(dialect.newline, from);
    isSkipping = newline < 0;
    at = newline < 0 ? text.length : newline + 1;
  }

  return {
    push(block, isLast) {
      text = text.slice(at) + block;
      passedChars += at;
      at = 0;
      if (text.length < enoughChars && !isLast) return [];
      records = [];
      scanner.setText(text, isLast);
      if (isSkipping) skipLine(0);
      while (at < text.length && step());
      enoughChars = Math.min(2 * (text.length - at), MAX_RECORD_CHARS + 1);
      return records;
    },
    withBackslashes: () => withBackslashes,
  };
}
