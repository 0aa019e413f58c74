import type { CsvDialect } from './csv-dialect.ts';

/** Where a cell that was read ends (at a delimiter, a line end, or the end of the text), and what it says. */
export interface QuotedCell {
  value: string;
  end: number;
  hasBackslashes: boolean;
}

/** The text ends within the cell; or what stands there is no cell, `at` is where that shows. */
export type NoCell = 'unfinished' | { at: number };

const QUOTE = 34;
const BACKSLASH = 92;
const LF = 10;
const CR = 13;

/**
 * Reads a cell in quotes: inner quotes are doubled, or else there is a backslash before them.
 * @param from where its first quote stands
 * @param isWhole no more text follows
 * @param isStrict tries doubled quotes first; else backslashes are escapes from the start
 */
export function readQuotedCell(
  text: string,
  from: number,
  dialect: CsvDialect,
  isWhole: boolean,
  isStrict: boolean,
): QuotedCell | NoCell {
  const strict = isStrict ? findEnd(text, from, dialect, isWhole, false) : undefined;
  if (typeof strict === 'number') {
    const value = text.slice(from + 1, strict).replaceAll('""', '"');
    const mended = mendJson(value);
    return { value: mended ?? value, end: strict + 1, hasBackslashes: mended !== undefined };
  }
  if (strict === 'unfinished' && !isWhole) return 'unfinished';
  const end = findEnd(text, from, dialect, isWhole, true);
  if (typeof end === 'number') {
    const raw = text.slice(from + 1, end);
    return { value: unescapeCell(raw), end: end + 1, hasBackslashes: raw.includes('\\') };
  }
  if (end === 'unfinished') return isWhole ? { at: text.length } : 'unfinished';
  return typeof strict === 'object' ? { at: Math.max(end.at, strict.at) } : end;
}

/** Finds the closing quote: one that a delimiter or a line end follows. */
function findEnd(
  text: string,
  from: number,
  dialect: CsvDialect,
  isWhole: boolean,
  withBackslashes: boolean,
): number | NoCell {
  let at = from + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return 'unfinished';
    const backslashes = withBackslashes ? backslashesBefore(text, quote, at) : 0;
    if (backslashes % 2 === 1) {
      at = quote + 1;
      continue;
    }
    const next = text.charCodeAt(quote + 1);
    if (next === QUOTE) {
      at = quote + 2;
      continue;
    }
    const isEnd = isCellEnd(text, quote + 1, dialect, isWhole);
    if (isEnd === 'unfinished') return 'unfinished';
    if (isEnd) return quote;
    // `"{""a"":""b\\"}"`: some writers double no quote that stands after a backslash, even if that is one itself.
    if (backslashes === 0) return { at: quote };
    at = quote + 1;
  }
}

/** How many backslashes stand directly before it, not counting those before `from`. */
function backslashesBefore(text: string, quote: number, from: number): number {
  let first = quote;
  while (first > from && text.charCodeAt(first - 1) === BACKSLASH) first--;
  return quote - first;
}

/** May a cell end here? */
function isCellEnd(text: string, at: number, dialect: CsvDialect, isWhole: boolean): boolean | 'unfinished' {
  if (at >= text.length) return isWhole ? true : 'unfinished';
  const char = text.charAt(at);
  if (char === dialect.delimiter || char === dialect.newline) return true;
  if (text.charCodeAt(at) !== CR) return false;
  if (at + 1 >= text.length) return isWhole ? true : 'unfinished';
  return text.charCodeAt(at + 1) === LF;
}

/**
 * What a cell says whose quotes have backslashes before them. Where it is JSON whose own quotes were doubled, the backslashes are
 * JSON's (Firebase's CLI writes `{"a":"\""}` as `"{""a"":""\"""}"`) and stay.
 */
function unescapeCell(raw: string): string {
  const doubled = raw.replaceAll('""', '"');
  if (looksLikeJson(raw) && isJson(doubled)) return doubled;
  return raw.replace(/\\(["\\])|""/g, (_, escaped?: string) => escaped ?? '"');
}

/** Hand-made cells in which JSON was escaped first and then doubled: `"{\""a\"":1}"`. Undefined where it is none. */
function mendJson(value: string): string | undefined {
  if (!looksLikeJson(value) || !value.includes('\\"') || isJson(value)) return undefined;
  const mended = value.replace(/\\(["\\])/g, '$1');
  return isJson(mended) ? mended : undefined;
}

const looksLikeJson = (text: string) => text.startsWith('{') || text.startsWith('[');

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
