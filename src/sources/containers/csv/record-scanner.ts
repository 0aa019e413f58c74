import type { CsvDialect } from './csv-dialect.ts';
import { readQuotedCell } from './quoted-cell.ts';

/** What a scanner found: see its members. */
export type Scan = 'record' | 'unfinished' | 'invalid';

/** Reads records one after another. One object, written again for each record: no garbage but the cells. */
export interface RecordScanner {
  /** Text that the next records stand in. */
  setText(text: string, isWhole: boolean): void;
  /**
   * @param isStrict quotes within quotes are doubled, and only where that fails have backslashes; else backslashes are escapes
   */
  scan(from: number, isStrict: boolean): Scan;
  /** Of `record`: the first `count` are its cells. An unquoted `NULL` or `\N` is null. */
  cells: (string | null)[];
  count: number;
  /** Of `record`: where the next one begins. Of `invalid`: where that showed. */
  next: number;
  /** Of `record`: were there backslashes that are escapes? */
  hasBackslashes: boolean;
}

const QUOTE = 34;
const LF = 10;
const CR = 13;
const BACKSLASH = 92;
const CAPITAL_N = 78;

/** Further away than any text is long. */
const NOWHERE = Number.MAX_SAFE_INTEGER;

export function createRecordScanner(dialect: CsvDialect): RecordScanner {
  const { delimiter, newline } = dialect;
  const delimiterCode = delimiter.charCodeAt(0);
  const newlineCode = newline.charCodeAt(0);
  let text = '';
  let isWhole = false;
  // The first ones at or after `…From`: many cells lie before the same line end, and many lines before the same delimiter in a
  // file of one column. They are searched for again only where they do not say it.
  let delimiterAt = -1;
  let delimiterFrom = 0;
  let newlineAt = -1;
  let newlineFrom = 0;

  const scanner: RecordScanner = {
    cells: [],
    count: 0,
    next: 0,
    hasBackslashes: false,
    setText(newText, isLast) {
      text = newText;
      isWhole = isLast;
      delimiterAt = -1;
      newlineAt = -1;
    },
    scan(from, isStrict) {
      const { cells } = scanner;
      let count = 0;
      let at = from;
      scanner.hasBackslashes = false;
      for (;;) {
        let end: number;
        if (text.charCodeAt(at) === QUOTE) {
          const quote = text.indexOf('"', at + 1);
          const after = quote < 0 ? -1 : text.charCodeAt(quote + 1);
          const isEnd =
            after === delimiterCode ||
            after === newlineCode ||
            (after === CR && newlineCode === LF && text.charCodeAt(quote + 2) === LF);
          if (isStrict && isEnd) {
            cells[count++] = text.slice(at + 1, quote);
            end = quote + 1;
          } else {
            const cell = readQuotedCell(text, at, dialect, isWhole, isStrict);
            if (cell === 'unfinished') return cell;
            if ('at' in cell) {
              scanner.next = cell.at;
              return 'invalid';
            }
            cells[count++] = cell.value;
            end = cell.end;
            if (cell.hasBackslashes) scanner.hasBackslashes = true;
          }
          const code = text.charCodeAt(end);
          if (code === delimiterCode) {
            at = end + 1;
            continue;
          }
          scanner.next = end + (code === CR && newlineCode === LF ? 2 : 1);
        } else {
          if (newlineAt < at || newlineFrom > at) {
            newlineFrom = at;
            newlineAt = text.indexOf(newline, at);
            if (newlineAt < 0) newlineAt = NOWHERE;
          }
          if (delimiterAt < at || delimiterFrom > at) {
            delimiterFrom = at;
            delimiterAt = text.indexOf(delimiter, at);
            if (delimiterAt < 0) delimiterAt = NOWHERE;
          }
          if (delimiterAt < newlineAt) {
            cells[count++] = unquoted(at, delimiterAt);
            at = delimiterAt + 1;
            continue;
          }
          if (newlineAt === NOWHERE && !isWhole) return 'unfinished';
          end = newlineAt === NOWHERE ? text.length : newlineAt;
          scanner.next = end + 1;
          if (newlineCode === LF && end > at && text.charCodeAt(end - 1) === CR) end--;
          cells[count++] = unquoted(at, end);
        }
        scanner.count = count;
        return 'record';
      }
    },
  };

  function unquoted(from: number, to: number): string | null {
    const first = text.charCodeAt(from);
    if (first === CAPITAL_N && to - from === 4 && text.startsWith('NULL', from)) return null;
    if (first === BACKSLASH && to - from === 2 && text.charCodeAt(from + 1) === CAPITAL_N) return null;
    return text.slice(from, to);
  }

  return scanner;
}
