import { type RowReader, readOneTable } from '../one-table.ts';
import { type Container, FileProblem, type ReadOptions, type TableHead } from '../table.ts';
import { createDialectChooser, type DialectChooser, NULL_WORDS } from './choose-dialect.ts';
import { type CsvColumns, columnsOf, mayBeUser } from './csv-columns.ts';
import { type CsvDialect, type SniffedCsv, sniffCsv } from './csv-dialect.ts';
import { type CsvParser, createCsvParser, MAX_RECORD_CHARS } from './csv-parser.ts';
import { createRecordScanner } from './record-scanner.ts';

/** Bytes that are kept in memory to find the dialect and first records of a CSV file. */
const KEPT_BYTES = 8 * MAX_RECORD_CHARS;

/**
 * Reads CSV with any delimiter, quote, escape and line end, with or without a header. Without a known
 * dialect, the file is read twice: to choose the dialect from the whole file, and for its rows, if wanted.
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

class CsvSurvey {
  readonly #options: ReadOptions;
  /** Beginning of the CSV file, which is read again to describe the table. */
  readonly chunks: Buffer[] = [];
  #beginBytes = 0;
  /** Bytes before the end of the first CSV record. */
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

  /** Returns undefined if the CSV file has no records. */
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

  /** Guesses the header before the dialect of the CSV file is chosen, so that messages number its rows. */
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

interface Begun {
  columns: CsvColumns;
  parser: CsvParser;
  /** Index of the first CSV row after the header. */
  start: number;
}

function createRowReader(dialect: CsvDialect, options: ReadOptions): RowReader {
  /** Text before the end of the first CSV record. */
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

/** Returns undefined if the first CSV record does not end in the text, or if there is none. */
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
