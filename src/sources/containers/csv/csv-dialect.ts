import { CR, LF } from './characters.ts';

/** The dialect is the same for the whole CSV file. */
export interface CsvDialect {
  /** Delimiter of CSV cells: one ASCII character. */
  delimiter: string;
  newline: Newline;
  /** Quote of CSV cells: one ASCII character. Undefined if cells are never in quotes. */
  quote: string | undefined;
  escaping: CsvEscape;
  /** Whether backslashes are escapes in unquoted CSV cells, too. Requires `escaping: 'backslash'`. */
  escapesUnquoted: boolean;
  /** Texts that mean null if an unquoted CSV cell contains nothing else. */
  nulls: readonly string[];
}

export type Newline = '\n' | '\r\n' | '\r';

/**
 * Ways to write a quote inside a quoted CSV cell:
 * - `doubled`: twice (RFC 4180).
 * - `backslash`: after a backslash, which is removed. Other characters can be escaped as well.
 * - `php`: twice, unless it follows a backslash, which remains text (PHP's `fputcsv`, Firebase).
 */
export type CsvEscape = 'doubled' | 'backslash' | 'php';

export const CSV_ESCAPES: readonly CsvEscape[] = ['doubled', 'backslash', 'php'];

/** Properties of a CSV dialect that the first line of the file shows. */
export interface SniffedCsv {
  delimiter: string;
  newline: Newline;
  /** Index of the first record in the text of the CSV file. */
  start: number;
  /** If false, the CSV file has one column, and the comma is only a default. */
  hasDelimiter: boolean;
  /** Other delimiters outside quotes in the first line of the CSV file. */
  others: readonly string[];
  /** A delimiter that occurs more often in the first line of the CSV file than the chosen one. */
  moreFrequent?: string | undefined;
  /** The first line proves that the CSV file uses quotes: it is `sep=;`, or all its cells are quoted. */
  showsQuotes: boolean;
}

export interface ToldDialect {
  csvDelimiter?: string;
  csvQuote?: string;
}

/** Tried only if the first line of a CSV file has no other delimiter, because it is frequent inside cells. */
const LAST_RESORT = '|';
const DELIMITERS = [',', ';', '\t', LAST_RESORT];

/**
 * Detects the line end and the delimiter of a CSV file by its first line. A line `sep=;`, as written for
 * Excel, overrides the detection.
 * @returns undefined if the first line does not end within the text
 */
export function sniffCsv(text: string, isWhole: boolean, told: ToldDialect = {}): SniffedCsv | undefined {
  const quote = told.csvQuote === 'none' ? undefined : (told.csvQuote ?? '"');
  const start = firstOfLine(text, 0);
  const line = scanLine(text, start, quote);
  // If the text ends with CR, an LF may follow in the next block of the CSV file.
  const isCut =
    line.end === text.length || (line.end === text.length - 1 && text.charCodeAt(line.end) === CR);
  if (isCut && !isWhole) return undefined;
  // A CR before the first row of a CSV file may be text of a cell. Mixed line ends are refused later.
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

function firstOfLine(text: string, from: number): number {
  let start = from;
  while (text.charCodeAt(start) === LF || text.charCodeAt(start) === CR) start++;
  return start;
}

interface FirstLine {
  end: number;
  /** Occurrences of the usual CSV delimiters outside quotes. */
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
