import { type RowReader, readOneTable } from '../one-table.ts';
import { type Container, FileProblem, type ReadOptions, type TableHead } from '../table.ts';
import { createDialectChooser, type DialectChooser, NULL_WORDS } from './choose-dialect.ts';
import { type CsvColumns, columnsOf, mayBeUser } from './csv-columns.ts';
import { type CsvDialect, type SniffedCsv, sniffCsv } from './csv-dialect.ts';
import { type CsvParser, createCsvParser, MAX_RECORD_CHARS } from './csv-parser.ts';
import { createRecordScanner } from './record-scanner.ts';

/**
 * Number of bytes at the start of a CSV file that are kept in memory, to find its dialect and first records.
 */
const KEPT_BYTES = 8 * MAX_RECORD_CHARS;

/**
 * Reads CSV with any delimiter, quote and escape, any line end (LF, CRLF or CR), with or without a header. If
 * the dialect is not known yet, the file is read twice: first to choose the dialect from the whole file, then
 * for its rows, if they are wanted.
 */
export const readCsv: Container = async function* (bytes, options, wanted) {
  const { csvDialect } = options;
  if (csvDialect !== undefined) {
    yield* readOneTable('csv', bytes, createRowReader(csvDialect, options), wanted);
    return;
  }
  const survey = new CsvSurvey(options);
  for await (const chunk of bytes) survey.push(chunk);
  const chosen = survey.finish();
  if (chosen === undefined) return;
  const head = await headOf(chosen, survey.chunks, options);
  if (head === undefined || !wanted(head)) return;
  yield* readOneTable('csv', bytes, createRowReader(chosen, options), () => true);
};

/** Reads a whole CSV file to choose its dialect, and keeps the first chunks of bytes. */
class CsvSurvey {
  readonly #options: ReadOptions;
  /** First chunks of the CSV file, which are read a second time to describe its table. */
  readonly chunks: Buffer[] = [];
  #beginBytes = 0;
  /** Bytes that do not yet contain the end of the first CSV record. */
  #waiting: Buffer = Buffer.alloc(0);
  #sniffed: SniffedCsv | undefined;
  #chooser: DialectChooser | undefined;

  constructor(options: ReadOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    if (this.#beginBytes < KEPT_BYTES) {
      this.chunks.push(chunk);
      this.#beginBytes += chunk.length;
    }
    if (this.#chooser !== undefined) {
      this.#chooser.push(chunk);
      return;
    }
    this.#waiting = this.#waiting.length === 0 ? chunk : Buffer.concat([this.#waiting, chunk]);
    this.#start(false);
  }

  /**
   * Chooses the dialect after the last byte of the CSV file.
   * @returns undefined if the file has no records
   */
  finish(): CsvDialect | undefined {
    if (this.#chooser === undefined) this.#start(true);
    const [sniffed, chooser] = [this.#sniffed, this.#chooser];
    if (sniffed === undefined || chooser === undefined) return undefined;
    return chooser.choose(this.#headerRows(sniffed));
  }

  #start(isWhole: boolean): void {
    const text = this.#waiting.toString();
    const sniffed = sniffCsv(text, isWhole, this.#options);
    if (sniffed === undefined && text.length > MAX_RECORD_CHARS) throw headerProblem();
    if (sniffed === undefined || sniffed.start >= text.length) return;
    this.#sniffed = sniffed;
    this.#chooser = createDialectChooser(sniffed, this.#options);
    this.#chooser.push(this.#waiting.subarray(Buffer.byteLength(text.slice(0, sniffed.start))));
    this.#waiting = Buffer.alloc(0);
  }

  /**
   * Guesses whether the CSV file has a header row, so that messages number its rows correctly. Its dialect is
   * not chosen yet.
   */
  #headerRows({ delimiter, newline, start }: SniffedCsv): number {
    const { csvQuote = '"', csvHeader } = this.#options;
    const quote = csvQuote === 'none' ? undefined : csvQuote;
    const rules = { quote, escaping: 'doubled', escapesUnquoted: false, nulls: NULL_WORDS } as const;
    const scanner = createRecordScanner({ delimiter, newline, ...rules });
    scanner.setText(Buffer.concat(this.chunks).toString(), true);
    if (scanner.scan(start) !== 'record') return csvHeader === false ? 0 : 1;
    return columnsOf(scanner.cells.slice(0, scanner.count), csvHeader).hasHeader ? 1 : 0;
  }
}

/** Describes the table of a CSV file from the first chunks of the file. */
async function headOf(
  dialect: CsvDialect,
  chunks: readonly Buffer[],
  options: ReadOptions,
): Promise<TableHead | undefined> {
  let head: TableHead | undefined;
  const bytes = (async function* () {
    yield* chunks;
  })();
  const keep = (table: TableHead) => {
    head = { ...table, csvDialect: dialect };
    return false;
  };
  for await (const _ of readOneTable('csv', bytes, createRowReader(dialect, options), keep)) {
    // Reading stops after the first records, because only the head of the table is needed.
  }
  return head;
}

/** State of the CSV reader after it has read the first record. */
interface Begun {
  columns: CsvColumns;
  parser: CsvParser;
  /** Index in the text of the first CSV row after the header. */
  start: number;
}

function createRowReader(dialect: CsvDialect, options: ReadOptions): RowReader {
  /** Text of the CSV file read so far, until the first record is complete. */
  let text = '';
  let begun: Begun | undefined;
  let noted = 0;
  return {
    push(block, isLast) {
      if (begun !== undefined) return begun.parser.push(block, isLast);
      text += block;
      begun = begin(text, dialect, options, isLast);
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
      return count > 0 ? { 'rows with backslashes that are escapes': count } : undefined;
    },
  };
}

/**
 * Reads the first record of a CSV file. @returns undefined if it does not end in the text, or if there is no
 * record
 */
function begin(text: string, dialect: CsvDialect, options: ReadOptions, isWhole: boolean): Begun | undefined {
  const start = sniffCsv(text, isWhole, options)?.start;
  if (start === undefined || start >= text.length) return undefined;
  const scanner = createRecordScanner(dialect);
  scanner.setText(text, isWhole);
  if (scanner.scan(start) !== 'record') {
    if (text.length - start > MAX_RECORD_CHARS || isWhole) throw headerProblem();
    return undefined;
  }
  const first = scanner.cells.slice(0, scanner.count);
  const columns = columnsOf(first, options.csvHeader);
  if (columns.hasHeader && options.csvHeader === undefined && mayBeUser(first)) throw doubtfulHeader();
  return {
    columns,
    parser: createCsvParser(dialect, columns),
    start: columns.hasHeader ? scanner.next : start,
  };
}

const headerProblem = () =>
  new FileProblem(
    'FILE_INVALID',
    'The first row of the CSV file does not end within 1 MiB. A quote may lack its end. If the file has other quotes: --csv-quote.',
  );

const doubtfulHeader = () =>
  new FileProblem(
    'FILE_INVALID',
    'The first row of the CSV file may be a header or a user: it has no address, but cells that look like values (a number, a ' +
      'date, a hash, nothing). Decide: --csv-header yes or --csv-header no.',
  );
