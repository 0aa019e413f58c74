import { type RowReader, readOneTable } from '../held-table.ts';
import {
  BadRecord,
  type Container,
  type FileProblem,
  invalidFile,
  type ReadOptions,
  type SourceRecord,
  type TableHead,
} from '../table.ts';
import { firstLineOf, type Newline } from './csv-beginning.ts';
import { type CsvColumns, CsvDoubts, columnsOf, recordMaker } from './csv-columns.ts';
import { CSV_WRITER_NAMES, CSV_WRITERS, type CsvWriter, cellPattern, UNNAMED } from './csv-writers.ts';

/** Maximum length of a CSV row. No real user has a longer one. */
const MAX_ROW_CHARS = 1_048_576;
type Cells = readonly (string | null)[];
type CsvFile = { delimiter: string; newline: Newline; cell: RegExp };

/**
 * Reads CSV by the rules of the program that wrote it (`--csv`). Without `--csv`, a file is read as RFC 4180, and
 * refused if it has something that another program could mean differently: a backslash before a quote, or that may be
 * an escape; a quote within an unquoted cell, text after a closing quote, another line end, a row of another length.
 * So no cell can change how the rest of the file is read (docs/adr/0026-csv-dialects.md).
 */
export const readCsv: Container = (bytes, options, wanted) =>
  readOneTable('csv', bytes, csvRows(options), wanted);

export function csvRows({ csv, columns: told }: Pick<ReadOptions, 'csv' | 'columns'>): RowReader {
  const writer: CsvWriter = csv === undefined ? UNNAMED : CSV_WRITERS[csv];
  const { quote, escaping, nulls, delimiters: possible } = writer;
  /** Undefined if the operator named the writer of the CSV file. */
  const doubts = csv === undefined ? new CsvDoubts() : undefined;
  let file: CsvFile | undefined;
  let table: (CsvColumns & { recordOf: (cells: Cells) => SourceRecord }) | undefined;
  /** Text of the CSV file from the current row on. */
  let text = '';
  let place = 0;
  let isEnd = false;
  let rows = 0;

  const orNull = (cell: string): string | null => (nulls.includes(cell) ? null : cell);

  function begin(): void {
    if (file !== undefined) return;
    const line = firstLineOf(text, isEnd, quote);
    if (line === undefined) return;
    const { newline, start, delimiters } = line;
    const fitting = delimiters.filter((one) => possible.includes(one));
    // Without `--csv`, any further possible delimiter in the first row makes the file uncertain, even a rare one.
    if ((doubts !== undefined && delimiters.length > fitting.length) || fitting.length > 1)
      throw problem(`has ${delimiters.map(shownDelimiter).join(' and ')}, any of which may separate cells`);
    const delimiter = fitting[0] ?? (possible[0] as string);
    file = { delimiter, newline, cell: cellPattern(writer, delimiter) };
    place = start;
  }

  /** Makes a record of a row. Returns undefined for a header or blank line, and if no records are wanted. */
  function recordIn(cells: Cells, isWanted: boolean): SourceRecord | BadRecord | undefined {
    // In a CSV file with one column, a blank line is a row with an empty cell.
    if (cells.length === 1 && cells[0] === '' && table?.names.length !== 1) return undefined;
    if (table === undefined) {
      const columns = columnsOf(cells, told);
      table = { ...columns, recordOf: recordMaker(columns) };
      if (columns.hasHeader) return undefined;
    }
    const { names, recordOf } = table;
    if (cells.length === names.length) {
      if (isHeader(cells))
        throw invalidFile(
          `Row ${rows + 1} of the CSV file has the names of the columns, as if another file were appended, which may have ` +
            'its columns in another order. Nothing of the file is imported. Give each file by itself.',
        );
      rows += 1;
      return isWanted ? recordOf(cells) : undefined;
    }
    const difference = `has ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}, not ${names.length}`;
    // The row may be the rest of a cell with a line break, unless the known writer puts such cells in quotes.
    if (doubts !== undefined || quote === undefined) throw problem(difference);
    rows += 1;
    return new BadRecord('COLUMNS_MISSING', `The row ${difference}.`, partOf(names, cells));
  }

  /** Whether all cells are names of columns, in any order. No user has them all by chance. */
  function isHeader(cells: Cells): boolean {
    const { hasHeader = false, names = [] } = table ?? {};
    return hasHeader && names.length > 1 && cells.every((cell) => cell !== null && names.includes(cell));
  }

  /** Reads the cells of a row. Returns undefined if the row does not end within the text. */
  function rowAt(from: number, { delimiter, newline, cell }: CsvFile): Cells | undefined {
    const found = text.indexOf(newline, from);
    if (found === -1 && !isEnd) return undefined;
    const end = found === -1 ? text.length : found;
    const line = text.slice(from, end);
    if (!(quote === undefined ? /[\\\r\n]/ : /["'\\\r\n]/).test(line)) {
      place = Math.min(text.length, end + newline.length);
      const cells = line.split(delimiter);
      return cells.some((one) => nulls.includes(one)) ? cells.map((one) => orNull(one)) : cells;
    }
    const cells: (string | null)[] = [];
    for (let at = from; ; at += 1) {
      cell.lastIndex = at;
      const [all, quoted] = cell.exec(text) ?? [];
      // At the end of the text, a quote may be the first of two, and an unquoted cell may continue.
      if (all === undefined || (at + all.length === text.length && !isEnd)) return undefined;
      if (doubts !== undefined && quoted !== undefined && all.includes('\\"'))
        throw problem('has a backslash before a quote');
      at += all.length;
      const next = text[at];
      if (quoted === undefined && next === quote && next !== undefined)
        throw problem('has a quote within a cell that is not in quotes');
      cells.push(quoted === undefined ? unquoted(all) : withoutEscapes(quoted));
      if (next === undefined) place = at;
      else if (text.startsWith(newline, at)) place = at + newline.length;
      else if (next === delimiter) continue;
      else if (!isEnd && text.length - at < newline.length) return undefined;
      else if (quote === undefined && next === '\\') return undefined;
      else
        throw problem(
          quoted === undefined ? 'has another line end than the first row' : 'has text after a closing quote',
        );
      return cells;
    }
  }

  function unquoted(cell: string): string | null {
    if (orNull(cell) === null) return null;
    if (quote === undefined) {
      // `mysql --batch` does not escape the names of columns.
      if (table === undefined && told === undefined && cell.includes('\\'))
        throw problem('has a backslash in the name of a column');
      return unescaped(cell);
    }
    if (cell.includes('\\')) {
      if (escaping === 'backslash') throw problem('has a backslash outside quotes');
      doubts?.noteBackslashes(cell, 'unquoted');
    }
    return cell;
  }

  function withoutEscapes(cell: string): string {
    if (doubts !== undefined && cell.includes('\\')) doubts.noteBackslashes(cell, 'quoted');
    if (escaping === 'backslash') return unescaped(cell.replaceAll('""', '\\"'));
    return quote === undefined ? cell : cell.replaceAll(quote + quote, quote);
  }

  function problem(what: string): FileProblem {
    const row = table === undefined ? 'The first row' : `Row ${rows + 1}`;
    return invalidFile(
      `${row} of the CSV file ${what}, so it is uncertain where cells and rows end. Nothing of the file is imported. ` +
        (doubts === undefined ? 'Another program may have written it: ' : 'Say which program wrote it: ') +
        `--csv ${CSV_WRITER_NAMES.join('|')} (docs/user-import.md#csv-files).`,
    );
  }

  function describe(): Pick<TableHead, 'columns' | 'cells'> | undefined {
    if (table === undefined) return undefined;
    const { names, areNumbered } = table;
    return areNumbered ? { columns: new Set(), cells: names.length } : { columns: new Set(names) };
  }

  function push(block: string, isLast: boolean, isWanted: boolean): (SourceRecord | BadRecord)[] {
    const records: (SourceRecord | BadRecord)[] = [];
    text = text.slice(place) + block;
    place = 0;
    isEnd = isLast;
    if (doubts?.hasOtherQuotes(block, isLast)) throw problem('has a cell that begins with a possible quote');
    begin();
    while (place < text.length) {
      const from = place;
      const cells = file === undefined ? undefined : rowAt(from, file);
      if (text.length - from > MAX_ROW_CHARS && (cells === undefined || place - from > MAX_ROW_CHARS))
        throw problem('is longer than 1 MiB');
      if (cells === undefined && !isLast) return records;
      if (cells === undefined) throw problem('has a quote or a backslash whose end is missing');
      const record = recordIn(cells, isWanted);
      if (record !== undefined) records.push(record);
    }
    if (isLast && doubts?.mayEscape) throw problem('follows backslashes that may be escapes');
    return records;
  }

  return { describe, push };
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
