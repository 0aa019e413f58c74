import type { Beginning } from '../beginning.ts';

const DELIMITERS = [',', ';', '\t', '|'];
const QUOTE = '"';
/**
 * An address and nothing else. Users choose theirs, so any sign that a mailbox may have counts (`o'neil@…`, `{ann}@…`). In JSON, SQL
 * and LDIF a quote, bracket or colon ends the domain, or stands before the name.
 */
const ADDRESS = /^[^\s"@<>(),:;\\]+@[^\s"'`@<>(){},;\\]+$/;

/**
 * Returns whether the text is rows of users without a header: the first row has an address, or other rows that are as long have one.
 * The first row of such a file may be anything a user has typed, also with many lines or longer than the beginning, so it must not
 * decide what kind of file it stands in.
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
 * Splits at delimiters and line ends, outside of quotes if there are any. The last row, which may be cut,
 * counts only if no text follows, or as the first one.
 */
function rowsOf({ text, isWhole }: Beginning, delimiter: string, hasQuotes: boolean): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (const char of text) {
    if (hasQuotes && char === QUOTE) {
      isQuoted = !isQuoted;
    } else if (isQuoted) {
      cell += char;
    } else if (char === delimiter || char === '\n') {
      row.push(cell.trim());
      cell = '';
      if (char === delimiter) continue;
      if (row.length > 1 || row[0] !== '') rows.push(row);
      row = [];
    } else {
      cell += char;
    }
  }
  const isCounted = isWhole || rows.length === 0;
  if (isCounted && (row.length > 0 || cell !== '')) rows.push([...row, cell.trim()]);
  return rows;
}
