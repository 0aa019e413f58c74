import type { Dialect } from './dialect.ts';
import { dollarTagAt, hasEscapesAt, matchAt } from './tokens.ts';
import { backslashFrom, LOOKAHEAD, type Window } from './window.ts';

/**
 * Where a statement or a row that is passed over ends:
 * - `statement`: after its semicolon (or where the next line begins another one, in SQL Server's scripts)
 * - `row`: after the parenthesis that closes it, or at a semicolon
 * - `batch`: where a line has `GO`
 * - `routine`: as a statement, but semicolons between BEGIN and END, or in parentheses (of a rule), do not count
 */
export type ScanTarget = 'statement' | 'row' | 'batch' | 'routine';

/** How far a statement has been passed over, from window to window. */
export interface Scan {
  readonly target: ScanTarget;
  /** What ends the string, name or comment that it stands in. Empty: it stands in none. */
  closing: string;
  /** Do backslashes escape in it? */
  hasEscapes: boolean;
  depth: number;
  /** The last two words or signs, of a routine. */
  before: readonly [string, string];
  hasBody: boolean;
}

export const startScan = (target: ScanTarget): Scan => ({
  target,
  closing: '',
  hasEscapes: false,
  depth: 0,
  before: ['', ''],
  hasBody: false,
});

const SIGNS: Readonly<Record<ScanTarget, string>> = {
  statement: '\'"`;-/',
  row: '\'"`;-/()',
  batch: '\'"`-/',
  routine: '\'"`;-/()',
};

/** Signs at which a scan must look closer, for each target and dialect. */
const STOPS: Readonly<Record<ScanTarget, Map<Dialect['name'], Uint8Array>>> = {
  statement: new Map(),
  row: new Map(),
  batch: new Map(),
  routine: new Map(),
};

function stopsOf(target: ScanTarget, dialect: Dialect): Uint8Array {
  const known = STOPS[target].get(dialect.name);
  if (known !== undefined) return known;
  const stops = new Uint8Array(256);
  const set = (signs: string) => {
    for (const sign of signs) stops[sign.charCodeAt(0)] = 1;
  };
  set(SIGNS[target]);
  if (dialect.hasHashComments) set('#');
  if (dialect.hasBracketNames) set('[');
  if (dialect.hasPostgresStrings) set('$');
  if (dialect.hasGoLines) set('\n');
  if (target === 'routine') set('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_');
  STOPS[target].set(dialect.name, stops);
  return stops;
}

const WORD = /[\w$\x80-\xff]+/y;
const GO = /\n[ \t]*GO[ \t]*\r?(?:\n|$)/iy;
const NEXT_STATEMENT = /\n[ \t]*(?:GO[ \t]*\r?(?:\n|$)|INSERT[ \t[]|CREATE[ \t])/iy;

/** Passes over text up to the end of what is scanned: true, or to the end of the window: false. The window's place moves along. */
export function scanOn(window: Window, dialect: Dialect, scan: Scan): boolean {
  const { text } = window;
  const stops = stopsOf(scan.target, dialect);
  const limit = window.isEnd ? text.length : text.length - LOOKAHEAD;
  let pos = window.pos;
  for (;;) {
    if (scan.closing !== '') {
      const end = closingEnd(window, scan, pos);
      if (end === -1) return false;
      pos = end;
      scan.closing = '';
    }
    while (pos < limit && stops[text.charCodeAt(pos)] === 0) pos++;
    if (pos >= limit) {
      window.pos = Math.max(pos, window.pos);
      return false;
    }
    const sign = text.charAt(pos);
    const step = stepAt(text, pos, sign, dialect, scan);
    pos += step.by;
    if (step.isEnd) {
      window.pos = pos;
      return true;
    }
  }
}

const ON = { by: 1, isEnd: false };
const END_BEFORE = { by: 0, isEnd: true };
const END_AFTER = { by: 1, isEnd: true };

/** What a sign at which the scan stops means. Opens what must be closed. */
function stepAt(
  text: string,
  pos: number,
  sign: string,
  dialect: Dialect,
  scan: Scan,
): { by: number; isEnd: boolean } {
  switch (sign) {
    case "'":
      scan.closing = sign;
      scan.hasEscapes = hasEscapesAt(text, pos, dialect);
      return ON;
    case '"':
    case '`':
      scan.closing = sign;
      scan.hasEscapes = sign === '"' && dialect.name === 'mysql' && dialect.hasBackslashEscapes;
      return ON;
    case '[':
      return open(scan, ']', 1);
    case '-':
      return text[pos + 1] === '-' ? open(scan, '\n', 2) : ON;
    case '#':
      return open(scan, '\n', 1);
    case '/':
      return text[pos + 1] === '*' ? open(scan, '*/', 2) : ON;
    case '$': {
      const tag = dollarTagAt(text, pos);
      return tag === undefined ? ON : open(scan, tag, tag.length);
    }
    case '\n':
      return endsBeforeLine(text, pos, scan) ? { by: 1, isEnd: true } : ON;
    case '(':
      scan.depth++;
      return ON;
    case ')':
      scan.depth--;
      return scan.target === 'row' && scan.depth <= 0 ? END_AFTER : ON;
    case ';':
      return atSemicolon(scan);
    default:
      return atWord(matchAt(WORD, text, pos) ?? sign, dialect, scan);
  }
}

function open(scan: Scan, closing: string, by: number) {
  scan.closing = closing;
  scan.hasEscapes = false;
  return { by, isEnd: false };
}

function endsBeforeLine(text: string, pos: number, scan: Scan): boolean {
  if (scan.target === 'row') return false;
  return matchAt(scan.target === 'batch' ? GO : NEXT_STATEMENT, text, pos) !== undefined;
}

function atSemicolon(scan: Scan) {
  if (scan.target === 'row') return END_BEFORE;
  if (scan.target === 'statement') return END_AFTER;
  if (!scan.hasBody && scan.depth <= 0) return END_AFTER;
  const [first, last] = scan.before;
  if (last === 'END' && (first === ';' || first === 'BEGIN' || first === 'ATOMIC')) return END_AFTER;
  scan.before = [last, ';'];
  return ON;
}

/** PostgreSQL has `BEGIN ATOMIC`, and may name an argument `begin`. */
function atWord(word: string, dialect: Dialect, scan: Scan) {
  const upper = word.toUpperCase();
  const isBegin = dialect.hasPostgresStrings
    ? upper === 'ATOMIC' && scan.before[1] === 'BEGIN'
    : upper === 'BEGIN';
  if (isBegin && scan.depth === 0) scan.hasBody = true;
  scan.before = [scan.before[1], upper];
  return { by: word.length, isEnd: false };
}

/** After what closes the string, name or comment; -1 where it is not in this window, which is then read to its end. */
function closingEnd(window: Window, scan: Scan, from: number): number {
  const { text } = window;
  const { closing } = scan;
  let found = -1;
  for (let pos = from; ; ) {
    if (found < pos) found = text.indexOf(closing, pos);
    const backslash = scan.hasEscapes ? backslashFrom(window, pos) : Number.POSITIVE_INFINITY;
    // The line break after a comment is left: a statement may end there.
    if (found !== -1 && found < backslash) return closing === '\n' ? found : found + closing.length;
    if (backslash + 1 >= text.length) {
      // A line's comment may end with the file.
      if (window.isEnd && closing === '\n') return text.length;
      const rest = Math.max(pos, text.length - closing.length + 1);
      window.pos = Number.isFinite(backslash) ? backslash : rest;
      return -1;
    }
    pos = backslash + 2;
    if (found === -1) found = Number.POSITIVE_INFINITY;
  }
}
