import type { Beginning, ReadOptions } from '../table.ts';
import { unsupportedText } from '../unsupported-kinds.ts';
import { CSV_WRITERS } from './csv-writers.ts';

/** Characters that separate cells in CSV. */
const DELIMITERS = [',', ';', '\t', '|'];

export type Newline = '\n' | '\r\n' | '\r';

export interface FirstLine {
  newline: Newline;
  /** Index of the first row of the CSV file, after blank lines and a line such as `sep=;` for Excel. */
  start: number;
  /** Characters outside quotes in the first row that may be delimiters of the CSV file, each once. */
  delimiters: readonly string[];
}

/** Returns the line end and possible delimiters of a CSV file. Undefined if its first row is not complete. */
export function firstLineOf(
  text: string,
  isWhole: boolean,
  quote: string | undefined,
): FirstLine | undefined {
  const newline = newlineOf(text, isWhole, quote);
  if (newline === undefined) return undefined;
  let start = 0;
  while (text.startsWith(newline, start)) start += newline.length;
  const separator = /^("?)sep=([,;\t|])\1(?=[\r\n]|$)/i.exec(text.slice(start, start + 10));
  if (separator !== null) {
    const [line, , delimiter = ''] = separator;
    start = Math.min(text.length, start + line.length + newline.length);
    return { newline, start, delimiters: [delimiter] };
  }
  const end = endOfRow(text, start, quote);
  if (end === undefined && !isWhole) return undefined;
  const row = text.slice(start, end);
  const outside =
    quote === undefined ? row : row.replaceAll(new RegExp(`${quote}[^${quote}]*${quote}?`, 'g'), '');
  return { newline, start, delimiters: DELIMITERS.filter((one) => outside.includes(one)) };
}

function newlineOf(text: string, isWhole: boolean, quote: string | undefined): Newline | undefined {
  const end = endOfRow(text, 0, quote);
  // A CR at the end of the text may be the first half of a CRLF.
  if (!isWhole && (end === undefined || end === text.length - 1)) return undefined;
  if (end === undefined || text[end] === '\n') return '\n';
  return text[end + 1] === '\n' ? '\r\n' : '\r';
}

function endOfRow(text: string, from: number, quote: string | undefined): number | undefined {
  const row =
    quote === undefined
      ? /[^\\\r\n]*(?:\\[\s\S]?[^\\\r\n]*)*/y
      : new RegExp(String.raw`[^${quote}\r\n]*(?:${quote}[^${quote}]*${quote}?[^${quote}\r\n]*)*`, 'y');
  row.lastIndex = from;
  row.test(text);
  return row.lastIndex === text.length ? undefined : row.lastIndex;
}

/** Headers of CSV files that have a single column of e-mail addresses, and therefore no delimiter. */
const EMAIL_HEADERS: ReadonlySet<string> = new Set(['email', 'mail', 'useremail', 'emailaddress']);

/**
 * Matches a CSV cell that is an e-mail address. Users choose their addresses, so every character that a
 * mailbox may have is allowed (`o'neil@…`, `{ann}@…`). In JSON, SQL and LDIF a quote, bracket or colon
 * prevents a match.
 */
const ADDRESS = /^[^\s"@<>(),:;\\]+@[^\s"'`@<>(){},;\\]+$/;

export function looksLikeCsv(beginning: Beginning, { csv }: Pick<ReadOptions, 'csv'> = {}): boolean {
  const { text, isWhole } = beginning;
  if (text.includes('\0') || unsupportedText(beginning) !== undefined) return false;
  const line = firstLineOf(text, isWhole, csv === undefined ? '"' : CSV_WRITERS[csv].quote);
  // If the first line does not end within the examined bytes, the file is not CSV.
  if (line === undefined) return false;
  if (csv !== undefined || line.delimiters.length > 0) return true;
  const [first = ''] = text.slice(line.start, line.start + 64).split(/[\r\n]/, 1);
  return EMAIL_HEADERS.has(first.toLowerCase().replace(/[^a-z]/g, ''));
}

/**
 * Returns whether the text may be CSV rows of users without a header. A user may have typed anything into the
 * first row, even many lines, so the row must not decide the kind of the file.
 */
export const looksLikeRowsOfUsers = (beginning: Beginning): boolean =>
  DELIMITERS.some((delimiter) =>
    [true, false].some((hasQuotes) => {
      const [first, ...others] = rowsOf(beginning, delimiter, hasQuotes);
      if (first === undefined || first.length < 2) return false;
      if (first.some(isAddress)) return true;
      const same = others.filter(({ length }) => length === first.length);
      const users = same.filter((row) => row.some(isAddress)).length;
      return users > 1 || (users === 1 && same.length * 2 >= others.length);
    }),
  );

const isAddress = (cell: string) => ADDRESS.test(cell);

/**
 * Splits text into rows as if it were CSV. The last row may be cut off: it only counts if it is the end or the only
 * row.
 */
function rowsOf({ text, isWhole }: Beginning, delimiter: string, hasQuotes: boolean): string[][] {
  const separators = new RegExp(`[${delimiter}\n]`, 'g');
  const unquoted = (_: string, cell: string) => cell.replaceAll(separators, '_');
  const lines = (hasQuotes ? text.replaceAll(/"([^"]*)"?/g, unquoted) : text).split('\n');
  if (!isWhole && lines.length > 1) lines.pop();
  return lines
    .map((line) => line.split(delimiter).map((cell) => cell.trim()))
    .filter((row) => row.length > 1 || row[0] !== '');
}
