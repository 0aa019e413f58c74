import type { Beginning } from '../beginning.ts';

const DELIMITERS = [',', ';', '\t', '|'];
/** Further rows say nothing more. */
const MAX_ROWS = 50;

const QUOTE = '"';
/**
 * An address and nothing else: no quotes, brackets or colons, as there are around one in JSON, SQL or LDIF.
 */
const ADDRESS = /^[^\s"'`@<>(){}[\],:;\\]+@[^\s"'`@<>(){}[\],:;\\]+\.[^\s"'`@<>(){}[\],:;\\.]+$/;

/**
 * Returns whether the text is rows of users without a header: a cell of the first row is an address, and most
 * rows have as many cells. The first cell of such a file may be anything a user has typed, so it must not
 * decide what kind of file it stands in.
 */
export const looksLikeRowsOfUsers = (beginning: Beginning): boolean =>
  DELIMITERS.some((delimiter) =>
    [true, false].some((hasQuotes) => {
      const [first, ...others] = rowsOf(beginning, delimiter, hasQuotes);
      if (first === undefined || first.length < 2 || !first.some((cell) => ADDRESS.test(cell))) return false;
      return others.filter(({ length }) => length === first.length).length * 2 >= others.length;
    }),
  );

/**
 * Splits at delimiters and line ends, outside of quotes if there are any. The last row, which may be cut,
 * counts only if no text follows.
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
      if (rows.length === MAX_ROWS) return rows;
      row = [];
    } else {
      cell += char;
    }
  }
  if (isWhole && (row.length > 0 || cell !== '')) rows.push([...row, cell.trim()]);
  return rows;
}
