import type { Beginning, ReadOptions } from '../table.ts';
import { unsupportedText } from '../unsupported-kinds.ts';
import { CSV_WRITERS } from './csv-writers.ts';
import { DELIMITERS, firstLineOf } from './first-line.ts';

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

/** The last row of a possible CSV file may be cut. It counts if the file is whole, or if it is the only row. */
function rowsOf({ text, isWhole }: Beginning, delimiter: string, hasQuotes: boolean): string[][] {
  const separators = new RegExp(`[${delimiter}\n]`, 'g');
  const unquoted = (_: string, cell: string) => cell.replaceAll(separators, '_');
  const lines = (hasQuotes ? text.replaceAll(/"([^"]*)"?/g, unquoted) : text).split('\n');
  if (!isWhole && lines.length > 1) lines.pop();
  return lines
    .map((line) => line.split(delimiter).map((cell) => cell.trim()))
    .filter((row) => row.length > 1 || row[0] !== '');
}
