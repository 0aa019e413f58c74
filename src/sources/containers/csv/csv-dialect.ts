/** How the lines and cells of a CSV file end. */
export interface CsvDialect {
  delimiter: string;
  /** LF also stands for CRLF. */
  newline: '\n' | '\r';
}

/** A dialect, and where the first record begins. */
export interface SniffedCsv {
  dialect: CsvDialect;
  start: number;
  /** False where a comma is only what remains: the file has one column. */
  hasDelimiter: boolean;
}

const QUOTE = 34;
const LF = 10;
const CR = 13;

/** Tried only where none of the others is there: it stands within cells of other files, too. */
const LAST_RESORT = '|';

/**
 * Tells the dialect from the first line, outside quotes: the delimiter that stands there most often. Excel's line `sep=;` is obeyed.
 * @param isWhole no more text follows
 * @returns undefined where the first line does not end within the text
 */
export function sniffCsv(text: string, isWhole: boolean): SniffedCsv | undefined {
  const start = firstOfLine(text);
  const line = scanLine(text, start);
  // After a CR that ends the text an LF may follow.
  const isCut =
    line.end === text.length || (line.end === text.length - 1 && text.charCodeAt(line.end) === CR);
  if (isCut && !isWhole) return undefined;
  const newline =
    text.charCodeAt(line.end) === CR && text.charCodeAt(line.end + 1) !== LF ? '\r' : ('\n' as const);
  const told = /^"?sep=([,;\t|])"?\r?$/i.exec(text.slice(start, Math.min(line.end, start + 10)));
  if (told?.[1] !== undefined) {
    const next = text.indexOf(newline, line.end);
    const dialect = { delimiter: told[1], newline } as const;
    return { dialect, start: next < 0 ? text.length : next + 1, hasDelimiter: true };
  }
  const delimiter = mostFrequent(line.counts);
  return { dialect: { delimiter, newline }, start, hasDelimiter: line.counts.get(delimiter) !== 0 };
}

/** Blank lines before the first one are passed over. */
function firstOfLine(text: string): number {
  let start = 0;
  while (text.charCodeAt(start) === LF || text.charCodeAt(start) === CR) start++;
  return start;
}

/** The end of the line that begins there, and what stands in it outside quotes. */
function scanLine(text: string, start: number): { end: number; counts: Map<string, number> } {
  const counts = new Map([
    [',', 0],
    [';', 0],
    ['\t', 0],
    [LAST_RESORT, 0],
  ]);
  let isQuoted = false;
  let end = start;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === QUOTE) isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (code === LF || code === CR) break;
    const char = text.charAt(end);
    const count = counts.get(char);
    if (count !== undefined) counts.set(char, count + 1);
  }
  return { end, counts };
}

function mostFrequent(counts: ReadonlyMap<string, number>): string {
  let best = ',';
  for (const [char, count] of counts) {
    if (char !== LAST_RESORT && count > (counts.get(best) ?? 0)) best = char;
  }
  return counts.get(best) === 0 && counts.get(LAST_RESORT) !== 0 ? LAST_RESORT : best;
}
