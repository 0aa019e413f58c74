import { BACKSLASH, CR, LF } from './characters.ts';
import type { CsvDialect } from './csv-dialect.ts';
import { NOWHERE } from './next-char.ts';

/** After `record`, the members of RecordScanner describe the CSV record. */
export type Scan = 'record' | 'unfinished' | 'invalid';

/** The scanner is reused for each CSV record, so that only the cells are allocated. */
export interface RecordScanner {
  /** `isWhole` means that no more CSV text follows. */
  setText(text: string, isWhole: boolean): void;
  scan(from: number): Scan;
  /** The first `count` entries are the cells of the CSV record. */
  cells: (string | null)[];
  count: number;
  /** Index at which the next CSV record starts. */
  next: number;
  /** Whether the CSV record contains backslashes that are escapes. */
  hasBackslashes: boolean;
}

/** Escapes in CSV cells: letters after a backslash, as written by `mysql --batch` and COPY. */
const LETTERS: Readonly<Record<string, string>> = {
  0: '\0',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

export function createRecordScanner(dialect: CsvDialect): RecordScanner {
  const { delimiter, newline, quote, escaping, escapesUnquoted } = dialect;
  const delimiterCode = delimiter.charCodeAt(0);
  const isCrlf = newline === '\r\n';
  const lineEnd = newline === '\r' ? '\r' : '\n';
  const lineEndCode = lineEnd.charCodeAt(0);
  // -1 is the code of no character, so all comparisons fail if the CSV file has no quotes.
  const quoteCode = quote?.charCodeAt(0) ?? -1;
  const doubledQuote = `${quote}${quote}`;
  const nulls = new Set(dialect.nulls);
  const longestNull = Math.max(0, ...dialect.nulls.map(({ length }) => length));
  const nullStarts = new Set(dialect.nulls.map((word) => word.charCodeAt(0)));
  const [firstNullStart = -1, secondNullStart = -1] = nullStarts;
  let text = '';
  let isWhole = false;
  // Cached positions in the CSV text, valid for searches from `…From` on. Many cells share one line end, and
  // in a file of one column many lines share one "not found".
  let delimiterAt = -1;
  let delimiterFrom = 0;
  let lineEndAt = -1;
  let lineEndFrom = 0;
  let closing = 0;

  const scanner: RecordScanner = {
    cells: [],
    count: 0,
    next: 0,
    hasBackslashes: false,
    setText(newText, isLast) {
      text = newText;
      isWhole = isLast;
      delimiterAt = -1;
      lineEndAt = -1;
    },
    scan(from) {
      const { cells } = scanner;
      let count = 0;
      let at = from;
      scanner.hasBackslashes = false;
      for (;;) {
        let end: number;
        if (text.charCodeAt(at) === quoteCode) {
          const found = findClosingQuote(at);
          if (found !== 'record') return found;
          cells[count++] = textBetween(at + 1, closing);
          end = closing + 1;
          const code = text.charCodeAt(end);
          if (code === delimiterCode) {
            at = end + 1;
            continue;
          }
          scanner.next = end + newline.length;
        } else {
          end = findCellEnd(at);
          if (end === NOWHERE && !isWhole) return 'unfinished';
          if (end === NOWHERE) end = text.length;
          if (text.charCodeAt(end) === delimiterCode && end < text.length) {
            cells[count++] = unquoted(at, end);
            at = end + 1;
            continue;
          }
          scanner.next = end + 1;
          if (isCrlf && end > at && text.charCodeAt(end - 1) === CR) end--;
          cells[count++] = unquoted(at, end);
        }
        scanner.count = count;
        return 'record';
      }
    },
  };

  function findCellEnd(from: number): number {
    let at = from;
    for (;;) {
      if (lineEndAt < at || lineEndFrom > at) {
        lineEndFrom = at;
        lineEndAt = text.indexOf(lineEnd, at);
        if (lineEndAt < 0) lineEndAt = NOWHERE;
      }
      if (delimiterAt < at || delimiterFrom > at) {
        delimiterFrom = at;
        delimiterAt = text.indexOf(delimiter, at);
        if (delimiterAt < 0) delimiterAt = NOWHERE;
      }
      const end = delimiterAt < lineEndAt ? delimiterAt : lineEndAt;
      if (!escapesUnquoted || end === NOWHERE || backslashesBefore(end, from) % 2 === 0) return end;
      at = end + 1;
    }
  }

  function backslashesBefore(end: number, from: number): number {
    let first = end;
    while (first > from && text.charCodeAt(first - 1) === BACKSLASH) first--;
    return end - first;
  }

  /** Stores the index of the closing quote of a CSV cell in `closing`. `from`: index of the opening quote. */
  function findClosingQuote(from: number): Scan {
    let at = from + 1;
    for (;;) {
      const found = text.indexOf(quote as string, at);
      if (found < 0) return isWhole ? 'invalid' : 'unfinished';
      if (isEscaped(found, at)) {
        at = found + 1;
        continue;
      }
      const after = text.charCodeAt(found + 1);
      closing = found;
      if (after === delimiterCode) return 'record';
      if (after === quoteCode) {
        at = found + 2;
        continue;
      }
      if (after === lineEndCode && !isCrlf) return 'record';
      if (isCrlf && after === CR && text.charCodeAt(found + 2) === LF) return 'record';
      if (found + 1 + (isCrlf ? 1 : 0) >= text.length) {
        if (!isWhole) return 'unfinished';
        if (found + 1 === text.length || after === CR) return 'record';
      }
      return 'invalid';
    }
  }

  /** Backslashes of the CSV cell before `from` do not count. */
  function isEscaped(at: number, from: number): boolean {
    if (escaping === 'doubled' || text.charCodeAt(at - 1) !== BACKSLASH) return false;
    const isIt = at > from && (escaping === 'php' || backslashesBefore(at, from) % 2 === 1);
    if (isIt) scanner.hasBackslashes = true;
    return isIt;
  }

  function textBetween(from: number, to: number): string {
    const raw = text.slice(from, to);
    if (escaping === 'backslash' && raw.includes('\\')) return withoutEscapes(raw);
    return raw.includes(doubledQuote) ? raw.replaceAll(doubledQuote, quote as string) : raw;
  }

  function unquoted(from: number, to: number): string | null {
    const raw = text.slice(from, to);
    if (raw.length <= longestNull && raw.length > 0) {
      const first = raw.charCodeAt(0);
      if ((first === firstNullStart || first === secondNullStart) && nulls.has(raw)) return null;
    }
    return escapesUnquoted && raw.includes('\\') ? withoutEscapes(raw) : raw;
  }

  function withoutEscapes(raw: string): string {
    scanner.hasBackslashes = true;
    let result = '';
    let from = 0;
    for (let at = 0; at < raw.length; at++) {
      const code = raw.charCodeAt(at);
      if (code === BACKSLASH) {
        const char = raw.charAt(at + 1);
        result += raw.slice(from, at) + (char === delimiter ? char : (LETTERS[char] ?? char));
      } else if (code === quoteCode && raw.charCodeAt(at + 1) === quoteCode) {
        result += raw.slice(from, at) + quote;
      } else continue;
      at++;
      from = at + 1;
    }
    return result + raw.slice(from);
  }

  return scanner;
}
