import type { Beginning } from '../beginning.ts';

const DELIMITERS = [',', ';', '\t', '|'];
const QUOTE = '"';
/**
 * Matches a CSV cell that is an e-mail address and nothing else. Users choose their addresses, so every
 * character that a mailbox may have is allowed (`o'neil@…`, `{ann}@…`). In JSON, SQL and LDIF such a match is
 * impossible, because a quote, bracket or colon ends the domain or precedes the address.
 */
const ADDRESS = /^[^\s"@<>(),:;\\]+@[^\s"'`@<>(){},;\\]+$/;

/**
 * Returns whether the text may be CSV rows of users without a header: the first row has an e-mail address, or
 * other rows of the same length have one. A user may have typed anything into the first row of such a file,
 * even many lines. The first row must therefore not decide the kind of the file.
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
 * Splits the beginning of a possible CSV file at delimiters and line ends, except inside quotes if
 * `hasQuotes` is true. The last row may be cut, so it is included only if the beginning is the whole file, or
 * if it is the only row.
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
