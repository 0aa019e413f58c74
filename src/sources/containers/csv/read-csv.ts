import { type RowReader, readOneTable } from '../held-table.ts';
import {
  BadRecord,
  type Container,
  FileProblem,
  type ReadOptions,
  type SourceRecord,
  type TableHead,
  type ToldColumns,
} from '../table.ts';
import { firstLineOf, type Newline } from './csv-beginning.ts';
import { type CsvColumns, CsvDoubts, columnsOf, recordMaker } from './csv-columns.ts';
import {
  CSV_WRITER_NAMES,
  CSV_WRITERS,
  type CsvWriter,
  type CsvWriterName,
  cellPattern,
  UNNAMED,
} from './csv-writers.ts';

/** Maximum length of a CSV row. No real user has a longer one. */
const MAX_ROW_CHARS = 1_048_576;
type Cells = readonly (string | null)[];

/**
 * Reads CSV by the rules of the program that wrote it (`--csv`). Without `--csv`, a file is read as RFC 4180, and
 * refused if it has something that another program could mean differently: a backslash before a quote, or that may be
 * an escape; a quote within an unquoted cell, text after a closing quote, another line end, a row of another length.
 * So no cell can change how the rest of the file is read (docs/adr/0026-csv-dialects.md).
 */
export const readCsv: Container = (bytes, options, wanted) =>
  readOneTable('csv', bytes, csvRows(options), wanted);

export const csvRows = ({ csv, columns }: Pick<ReadOptions, 'csv' | 'columns'>): RowReader =>
  new CsvRows(csv, columns);

class CsvRows implements RowReader {
  readonly #writer: CsvWriter;
  readonly #told: ToldColumns | undefined;
  /** Undefined if the operator named the writer of the CSV file. */
  readonly #doubts: CsvDoubts | undefined;
  #file: { delimiter: string; newline: Newline; cell: RegExp } | undefined;
  #table: (CsvColumns & { recordOf: (cells: Cells) => SourceRecord }) | undefined;
  /** Text of the CSV file from the current row on. */
  #text = '';
  #at = 0;
  #isLast = false;
  #rows = 0;

  constructor(writer: CsvWriterName | undefined, told: ToldColumns | undefined) {
    this.#writer = writer === undefined ? UNNAMED : CSV_WRITERS[writer];
    this.#told = told;
    if (writer === undefined) this.#doubts = new CsvDoubts();
  }

  describe(): Pick<TableHead, 'columns' | 'cells'> | undefined {
    if (this.#table === undefined) return undefined;
    const { names, areNumbered } = this.#table;
    return areNumbered ? { columns: new Set(), cells: names.length } : { columns: new Set(names) };
  }

  push(block: string, isLast: boolean, isWanted: boolean): (SourceRecord | BadRecord)[] {
    const records: (SourceRecord | BadRecord)[] = [];
    this.#text = this.#text.slice(this.#at) + block;
    this.#at = 0;
    this.#isLast = isLast;
    if (this.#doubts?.hasOtherQuotes(block, isLast))
      throw this.#problem('has a cell that begins with a possible quote');
    this.#begin();
    while (this.#at < this.#text.length) {
      const from = this.#at;
      const cells = this.#file === undefined ? undefined : this.#row(from, this.#file);
      if (
        this.#text.length - from > MAX_ROW_CHARS &&
        (cells === undefined || this.#at - from > MAX_ROW_CHARS)
      )
        throw this.#problem('is longer than 1 MiB');
      if (cells === undefined && !isLast) return records;
      if (cells === undefined) throw this.#problem('has a quote or a backslash whose end is missing');
      const record = this.#recordOf(cells, isWanted);
      if (record !== undefined) records.push(record);
    }
    if (isLast && this.#doubts?.mayEscape) throw this.#problem('follows backslashes that may be escapes');
    return records;
  }

  #begin(): void {
    if (this.#file !== undefined) return;
    const line = firstLineOf(this.#text, this.#isLast, this.#writer.quote);
    if (line === undefined) return;
    const { newline, start, delimiters } = line;
    const { delimiters: possible } = this.#writer;
    const fitting = delimiters.filter((one) => possible.includes(one));
    // Without `--csv`, any further possible delimiter in the first row makes the file uncertain, even a rare one.
    if ((this.#doubts !== undefined && delimiters.length > fitting.length) || fitting.length > 1)
      throw this.#problem(
        `has ${delimiters.map(shownDelimiter).join(' and ')}, any of which may separate cells`,
      );
    const delimiter = fitting[0] ?? (possible[0] as string);
    this.#file = { delimiter, newline, cell: cellPattern(this.#writer, delimiter) };
    this.#at = start;
  }

  /** Makes a record of a row. Returns undefined for a header or blank line, and if no records are wanted. */
  #recordOf(cells: Cells, isWanted: boolean): SourceRecord | BadRecord | undefined {
    // In a CSV file with one column, a blank line is a row with an empty cell.
    if (cells.length === 1 && cells[0] === '' && this.#table?.names.length !== 1) return undefined;
    if (this.#table === undefined) {
      const columns = columnsOf(cells, this.#told);
      this.#table = { ...columns, recordOf: recordMaker(columns) };
      if (columns.hasHeader) return undefined;
    }
    const { names, recordOf } = this.#table;
    if (cells.length === names.length) {
      if (this.#isHeader(cells))
        throw new FileProblem(
          'FILE_INVALID',
          `Row ${this.#rows + 1} of the CSV file has the names of the columns, as if another file were appended, which may have ` +
            'its columns in another order. Nothing of the file is imported. Give each file by itself.',
        );
      this.#rows += 1;
      return isWanted ? recordOf(cells) : undefined;
    }
    const problem = `has ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}, not ${names.length}`;
    // The row may be the rest of a cell with a line break, unless the known writer puts such cells in quotes.
    if (this.#doubts !== undefined || this.#writer.quote === undefined) throw this.#problem(problem);
    this.#rows += 1;
    return new BadRecord('COLUMNS_MISSING', `The row ${problem}.`, partOf(names, cells));
  }

  /** Whether all cells are names of columns, in any order. No user has them all by chance. */
  #isHeader(cells: Cells): boolean {
    const { hasHeader = false, names = [] } = this.#table ?? {};
    return hasHeader && names.length > 1 && cells.every((cell) => cell !== null && names.includes(cell));
  }

  /** Reads the cells of a row. Returns undefined if the row does not end within the text. */
  #row(from: number, file: { delimiter: string; newline: Newline; cell: RegExp }): Cells | undefined {
    const { delimiter, newline, cell } = file;
    const { quote, nulls } = this.#writer;
    const text = this.#text;
    const found = text.indexOf(newline, from);
    if (found === -1 && !this.#isLast) return undefined;
    const end = found === -1 ? text.length : found;
    const line = text.slice(from, end);
    if (!(quote === undefined ? /[\\\r\n]/ : /["'\\\r\n]/).test(line)) {
      this.#at = Math.min(text.length, end + newline.length);
      const cells = line.split(delimiter);
      return cells.some((one) => nulls.includes(one)) ? cells.map((one) => this.#orNull(one)) : cells;
    }
    const cells: (string | null)[] = [];
    for (let at = from; ; at += 1) {
      cell.lastIndex = at;
      const [all, quoted] = cell.exec(text) ?? [];
      // At the end of the text, a quote may be the first of two, and an unquoted cell may continue.
      if (all === undefined || (at + all.length === text.length && !this.#isLast)) return undefined;
      if (this.#doubts !== undefined && quoted !== undefined && all.includes('\\"'))
        throw this.#problem('has a backslash before a quote');
      at += all.length;
      const next = text[at];
      if (quoted === undefined && next === quote && next !== undefined)
        throw this.#problem('has a quote within a cell that is not in quotes');
      cells.push(quoted === undefined ? this.#unquoted(all) : this.#unescaped(quoted));
      if (next === undefined) this.#at = at;
      else if (text.startsWith(newline, at)) this.#at = at + newline.length;
      else if (next === delimiter) continue;
      else if (!this.#isLast && text.length - at < newline.length) return undefined;
      else if (quote === undefined && next === '\\') return undefined;
      else
        throw this.#problem(
          quoted === undefined ? 'has another line end than the first row' : 'has text after a closing quote',
        );
      return cells;
    }
  }

  #unquoted(cell: string): string | null {
    const { quote, escaping } = this.#writer;
    if (this.#orNull(cell) === null) return null;
    if (quote === undefined) {
      // `mysql --batch` does not escape the names of columns.
      if (this.#table === undefined && this.#told === undefined && cell.includes('\\'))
        throw this.#problem('has a backslash in the name of a column');
      return unescaped(cell);
    }
    if (cell.includes('\\')) {
      if (escaping === 'backslash') throw this.#problem('has a backslash outside quotes');
      this.#doubts?.noteBackslashes(cell, 'unquoted');
    }
    return cell;
  }

  #unescaped(cell: string): string {
    const { quote = '', escaping } = this.#writer;
    if (this.#doubts !== undefined && cell.includes('\\')) this.#doubts.noteBackslashes(cell, 'quoted');
    if (escaping === 'backslash') return unescaped(cell.replaceAll('""', '\\"'));
    return cell.includes(quote) ? cell.replaceAll(quote + quote, quote) : cell;
  }

  #orNull(cell: string): string | null {
    return this.#writer.nulls.includes(cell) ? null : cell;
  }

  #problem(what: string): FileProblem {
    const row = this.#table === undefined ? 'The first row' : `Row ${this.#rows + 1}`;
    return new FileProblem(
      'FILE_INVALID',
      `${row} of the CSV file ${what}, so it is uncertain where cells and rows end. Nothing of the file is imported. ` +
        (this.#doubts === undefined
          ? 'Another program may have written it: '
          : 'Say which program wrote it: ') +
        `--csv ${CSV_WRITER_NAMES.join('|')} (docs/user-import.md#csv-files).`,
    );
  }
}

/** Returns the cells of a row of another length, which may help the operator to find out whose row it is. */
const partOf = (names: readonly string[], cells: Cells): SourceRecord =>
  Object.fromEntries(cells.slice(0, names.length).map((cell, index) => [names[index], cell]));

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  0: '\0',
};

const unescaped = (cell: string) =>
  cell.includes('\\') ? cell.replace(/\\([\s\S])/g, (_, char: string) => ESCAPES[char] ?? char) : cell;

const shownDelimiter = (delimiter: string) => (delimiter === '\t' ? 'tabs' : `"${delimiter}"`);
