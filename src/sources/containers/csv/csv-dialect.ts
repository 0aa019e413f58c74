/** How a CSV file is written. One dialect holds for all of it. */
export interface CsvDialect {
  /** One ASCII character. */
  delimiter: string;
  newline: Newline;
  /** One ASCII character; undefined if cells are never in quotes. */
  quote: string | undefined;
  escaping: CsvEscape;
  /** Whether a backslash escapes outside quotes, too. Only of `backslash`. */
  escapesUnquoted: boolean;
  /** Unquoted cells with one of these texts are null. */
  nulls: readonly string[];
}

export type Newline = '\n' | '\r\n' | '\r';

/**
 * How a quote stands within a quoted cell:
 * - `doubled`: twice (RFC 4180).
 * - `backslash`: after a backslash, which is not part of the text and is itself doubled. It escapes other characters as well.
 * - `php`: twice, unless a backslash stands before it. That backslash is part of the text (PHP's `fputcsv`, Firebase).
 */
export type CsvEscape = 'doubled' | 'backslash' | 'php';

export const CSV_ESCAPES: readonly CsvEscape[] = ['doubled', 'backslash', 'php'];

/** What the first line shows of a dialect. */
export interface SniffedCsv {
  delimiter: string;
  newline: Newline;
  /** Index of the first record. */
  start: number;
  /** False if a comma is only the last choice: the file has one column. */
  hasDelimiter: boolean;
  /** Other delimiters that stand in the first line outside quotes. */
  others: readonly string[];
  /** One of the others that is more frequent there. */
  moreFrequent?: string | undefined;
  /** Whether it shows that the file has quotes as CSV has them: a line `sep=;`, or a first line with all of its cells in quotes. */
  showsQuotes: boolean;
}

/** What the operator says of it: members of ReadOptions. */
export interface ToldDialect {
  csvDelimiter?: string;
  csvQuote?: string;
}

const LF = 10;
const CR = 13;

/** Tried only if none of the others is there: it is frequent within cells. */
const LAST_RESORT = '|';
const DELIMITERS = [',', ';', '\t', LAST_RESORT];

/**
 * Finds the line end, and the delimiter that is most frequent in the first line outside quotes. Excel's line `sep=;` decides.
 * @param isWhole no more text follows
 * @returns undefined if the first line does not end within the text
 */
export function sniffCsv(text: string, isWhole: boolean, told: ToldDialect = {}): SniffedCsv | undefined {
  const quote = told.csvQuote === 'none' ? undefined : (told.csvQuote ?? '"');
  const start = firstOfLine(text, 0);
  const line = scanLine(text, start, quote);
  // After a CR that ends the text an LF may follow.
  const isCut =
    line.end === text.length || (line.end === text.length - 1 && text.charCodeAt(line.end) === CR);
  if (isCut && !isWhole) return undefined;
  // A carriage return before the first row may be text of its first cell. Another line end is refused then.
  const newline = /\r(?!\n)/.test(text.slice(0, start)) ? '\r' : newlineAt(text, line.end);
  const separator = /^(?:sep=([,;\t|])|"sep=([,;\t|])")$/i.exec(
    text.slice(start, Math.min(line.end, start + 10)),
  );
  const named = separator?.[1] ?? separator?.[2];
  if (named !== undefined && (told.csvDelimiter ?? named) === named) {
    const next = Math.min(text.length, line.end + newline.length);
    const found = { delimiter: named, newline, start: next, others: [], showsQuotes: true };
    return { ...found, hasDelimiter: true };
  }
  const delimiter = told.csvDelimiter ?? mostFrequent(line.counts);
  return {
    delimiter,
    newline,
    start,
    hasDelimiter:
      told.csvDelimiter === undefined ? line.counts.get(delimiter) !== 0 : line.hasTold(delimiter),
    others: told.csvDelimiter === undefined ? othersOf(line.counts, delimiter) : [],
    moreFrequent:
      told.csvDelimiter === undefined && isLess(line.counts, delimiter, LAST_RESORT)
        ? LAST_RESORT
        : undefined,
    showsQuotes: quote !== undefined && areAllQuoted(text.slice(start, line.end), delimiter, quote),
  };
}

function newlineAt(text: string, end: number): Newline {
  if (text.charCodeAt(end) !== CR) return '\n';
  return text.charCodeAt(end + 1) === LF ? '\r\n' : '\r';
}

/** Blank lines before the first record are skipped. */
function firstOfLine(text: string, from: number): number {
  let start = from;
  while (text.charCodeAt(start) === LF || text.charCodeAt(start) === CR) start++;
  return start;
}

interface FirstLine {
  end: number;
  /** How often each of the usual delimiters stands in it outside quotes. */
  counts: ReadonlyMap<string, number>;
  hasTold(delimiter: string): boolean;
}

function scanLine(text: string, start: number, quote: string | undefined): FirstLine {
  const counts = new Map(DELIMITERS.map((delimiter) => [delimiter, 0]));
  const quoteCode = quote?.charCodeAt(0);
  let isQuoted = false;
  let end = start;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === quoteCode) isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (code === LF || code === CR) break;
    const char = text.charAt(end);
    const count = counts.get(char);
    if (count !== undefined) counts.set(char, count + 1);
  }
  return { end, counts, hasTold: (delimiter) => text.slice(start, end).includes(delimiter) };
}

function mostFrequent(counts: ReadonlyMap<string, number>): string {
  let best = ',';
  for (const [char, count] of counts) {
    if (char !== LAST_RESORT && count > (counts.get(best) ?? 0)) best = char;
  }
  return counts.get(best) === 0 && counts.get(LAST_RESORT) !== 0 ? LAST_RESORT : best;
}

const isLess = (counts: ReadonlyMap<string, number>, one: string, other: string) =>
  (counts.get(one) ?? 0) < (counts.get(other) ?? 0);

const othersOf = (counts: ReadonlyMap<string, number>, delimiter: string): string[] =>
  [...counts].flatMap(([char, count]) => (char !== delimiter && count > 0 ? char : []));

function areAllQuoted(line: string, delimiter: string, quote: string): boolean {
  const ends = line.startsWith(quote) && line.endsWith(quote) && line.length > 1;
  if (!ends) return false;
  const text = line.replaceAll(quote + quote, '');
  const inner = text.slice(text.startsWith(quote) ? 1 : 0, text.endsWith(quote) ? -1 : undefined);
  const pieces = inner.split(quote + delimiter + quote);
  return pieces.length > 1 && pieces.every((piece) => !piece.includes(quote));
}
