import type { Beginning } from '../beginning.ts';

const DELIMITERS = [',', ';', '\t', '|'];
const QUOTE = '"';
/**
 * Matches a CSV cell that is an e-mail address. Users choose their addresses, so every character that a
 * mailbox may have is allowed (`o'neil@…`, `{ann}@…`). In JSON, SQL and LDIF a quote, bracket or colon
 * prevents a match.
 */
const ADDRESS = /^[^\s"@<>(),:;\\]+@[^\s"'`@<>(){},;\\]+$/;

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
 * The last row of a possible CSV file may be cut. It counts if the file is whole, or if it is the only row.
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
