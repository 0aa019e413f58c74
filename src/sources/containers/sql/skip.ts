import type { Dialect } from './dialect.ts';
import { type Input, LOOKAHEAD, LOOKBEHIND, MORE, more } from './input.ts';
import { executableAt, matchAt, type Span, spanAt, spanEnd } from './tokens.ts';

/**
 * End of the part of a dump to skip:
 * - `statement`: after its delimiter, or before the next statement in scripts without semicolons
 * - `rows`: like `statement`, for INSERT. A letter directly before or after a text is an error, so is UPDATE
 * - `row`: after its closing parenthesis
 * - `batch`: at a line `GO`
 * - `routine`: like `statement`, but semicolons in BEGIN … END or in parentheses (of a rule) do not count
 */
export type Target = 'statement' | 'rows' | 'row' | 'batch' | 'routine';

/** State of skipping, which continues when more of the dump is in memory. */
interface Scan {
  readonly target: Target;
  readonly stops: Uint8Array;
  /** The text, name or comment at the current position. */
  span: Span | undefined;
  /** A character of a value directly after a text shows that the text has ended too early. */
  isAfterText: boolean;
  depth: number;
  /** The last two words or semicolons of a routine. */
  before: readonly [string, string];
  hasBody: boolean;
}

/**
 * Skips to the end of `target`. Returns false if the file ends before it, but not within a text or comment.
 * @throws FileProblem FILE_TRUNCATED within a text or comment
 */
export function* skip(input: Input, dialect: Dialect, target: Target): Generator<void, boolean> {
  const scan = startScan(dialect, target);
  while (!scanOn(input, dialect, scan)) {
    if (input.isEnd && scan.span === undefined) return false;
    yield* more(input);
  }
  return true;
}

/**
 * Returns the end of the statement at the current position, or MORE if it is not in memory.
 * @param mayEndWithFile whether the last statement needs no semicolon
 */
export function statementEnd(input: Input, dialect: Dialect, mayEndWithFile: boolean): number {
  const start = input.pos;
  const scan = startScan(dialect, 'statement');
  const isWhole = scanOn(input, dialect, scan);
  const end = input.pos;
  input.rewind(start);
  return isWhole || (mayEndWithFile && input.isEnd && scan.span === undefined) ? end : MORE;
}

const startScan = (dialect: Dialect, target: Target): Scan => ({
  target,
  stops: stopsOf(target, dialect),
  span: undefined,
  isAfterText: false,
  depth: 0,
  before: ['', ''],
  hasBody: false,
});

const SIGNS: Readonly<Record<Target, string>> = {
  statement: '\'"`-/',
  rows: '\'"`-/Uu',
  row: '\'"`;-/()',
  batch: '\'"`-/',
  routine: '\'"`;-/()ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_',
};

const STOPS = new WeakMap<Dialect, Partial<Record<Target, Uint8Array>>>();

/** Returns the characters at which skipping must stop for a closer look. */
function stopsOf(target: Target, dialect: Dialect): Uint8Array {
  const ofDialect = STOPS.get(dialect) ?? {};
  STOPS.set(dialect, ofDialect);
  const known = ofDialect[target];
  if (known !== undefined) return known;
  const stops = new Uint8Array(256);
  const set = (signs: string) => {
    for (const sign of signs) stops[sign.charCodeAt(0)] = 1;
  };
  set(SIGNS[target]);
  if (target !== 'batch') set(dialect.delimiter.charAt(0));
  if (dialect.hasHashComments) set('#');
  if (dialect.hasBracketNames) set('[');
  if (dialect.hasPostgresStrings) set('$');
  // A dump of an unknown system may be a script of SQL Server, whose statements may lack semicolons.
  if (dialect.hasGoLines || dialect.name === 'standard') set('\n');
  ofDialect[target] = stops;
  return stops;
}

const UPDATE = /UPDATE(?!\w)/iy;
const WORD = /[\w$\x80-\xff]+/y;

/** Returns false if more of the dump must be in memory, and all that is in memory is skipped. */
function scanOn(input: Input, dialect: Dialect, scan: Scan): boolean {
  const { text } = input;
  const { stops } = scan;
  const limit = input.isEnd ? text.length : text.length - LOOKAHEAD;
  let pos = input.pos;
  for (;;) {
    if (scan.span !== undefined) {
      const end = spanEnd(input, scan.span, pos, dialect);
      if (end === MORE) {
        input.pos = scan.span.resumed;
        return false;
      }
      pos = end;
      scan.isAfterText = scan.span.closing === "'" && (scan.target === 'row' || scan.target === 'rows');
      scan.span = undefined;
    }
    if (scan.isAfterText && pos < text.length) {
      scan.isAfterText = false;
      if (IN_VALUE[text.charCodeAt(pos)] === 1) throw input.unreadable(pos, 'The row');
    }
    while (pos < limit && stops[text.charCodeAt(pos)] === 0) pos++;
    if (pos >= limit) {
      input.pos = Math.max(pos, input.pos);
      return false;
    }
    const quick = quickTextEnd(input, pos, dialect);
    if (quick !== -1) {
      pos = quick;
      continue;
    }
    scan.span = spanAt(input, pos, dialect);
    if (scan.span !== undefined) {
      if (
        scan.span.closing === "'" &&
        (scan.target === 'row' || scan.target === 'rows') &&
        isTorn(text, pos, dialect)
      )
        throw input.unreadable(pos, 'The row');
      pos += scan.span.open;
      continue;
    }
    const end = endAt(input, pos, dialect, scan);
    if (end !== -1) {
      input.pos = end;
      return true;
    }
    pos += stepAt(input, pos, dialect, scan);
  }
}

const QUOTE = 0x27;
const OPEN = 0x28;
const CLOSE = 0x29;
const COMMA = 0x2c;
const SPACE = 0x20;
const LETTER_N = 0x4e;

/** Fast path for '…' and N'…' between commas or parentheses, without escapes. Returns -1 for others. */
function quickTextEnd(input: Input, pos: number, dialect: Dialect): number {
  const { text } = input;
  if (text.charCodeAt(pos) !== QUOTE) return -1;
  const isNational = text.charCodeAt(pos - 1) === LETTER_N;
  const before = text.charCodeAt(isNational ? pos - 2 : pos - 1);
  if (before !== COMMA && before !== OPEN && before !== SPACE) return -1;
  const end = text.indexOf("'", pos + 1);
  const after = end === -1 ? 0 : text.charCodeAt(end + 1);
  if (after !== COMMA && after !== CLOSE) return -1;
  return dialect.hasBackslashEscapes && input.backslashFrom(pos) < end ? -1 : end + 1;
}

/** Characters that never stand directly before or after a text. */
const IN_VALUE = Uint8Array.from({ length: 256 }, (_, code) =>
  /[\w\\\x80-\xff]/.test(String.fromCharCode(code)) ? 1 : 0,
);
/** What may precede the quote of a text: E'…', N'…', X'…', B'…', _utf8'…', DATE'…'. */
const PREFIX = /(?:^|[^\w$\x80-\xff])(?:[ENBX]|_[A-Z0-9]{1,12}|DATE|TIME|TIMESTAMP)$/i;

/** Returns whether the character before a quote shows that the previous text ended too early. */
function isTorn(text: string, pos: number, dialect: Dialect): boolean {
  if (IN_VALUE[text.charCodeAt(pos - 1)] !== 1) return false;
  const before = text.slice(Math.max(0, pos - LOOKBEHIND), pos);
  if (/e$/i.test(before) && !dialect.hasPostgresStrings && !/(?:date|time|_\w*)$/i.test(before)) return true;
  return !PREFIX.test(before);
}

const GO = /\n[ \t]*GO[ \t]*\r?(?:\n|$)/iy;
const NEXT_STATEMENT = /\n[ \t]*(?:GO[ \t]*\r?(?:\n|$)|INSERT[ \t[]|CREATE[ \t])/iy;
/** First words of statements that begin a line in scripts of SQL Server. */
const NEXT_IN_BATCH =
  /\n[ \t]*(?:GO[ \t]*\r?(?:\n|$)|(?:ALTER|BEGIN|BULK|COMMIT|CREATE|DBCC|DECLARE|DELETE|DENY|DROP|END|EXEC|EXECUTE|GRANT|IF|INSERT|MERGE|PRINT|REVOKE|ROLLBACK|SET|TRUNCATE|UPDATE|USE|WHILE)\b)/iy;

/** Returns the index after the end of the target, or -1. */
function endAt({ text }: Input, pos: number, dialect: Dialect, scan: Scan): number {
  const { target, depth } = scan;
  const sign = text.charAt(pos);
  if (sign === '\n' && target !== 'row') {
    if (dialect.delimiter !== ';') return -1;
    const isBatch = target === 'batch' || (target === 'routine' && !dialect.hasGoLines);
    const next = isBatch ? GO : dialect.hasGoLines ? NEXT_IN_BATCH : NEXT_STATEMENT;
    return matchAt(next, text, pos) === undefined ? -1 : pos + 1;
  }
  if (target === 'row') return sign === ')' && depth === 1 ? pos + 1 : -1;
  if (target === 'batch' || !text.startsWith(dialect.delimiter, pos)) return -1;
  const end = pos + dialect.delimiter.length;
  if (target !== 'routine') return end;
  const [first, last] = scan.before;
  const isAfterBody = last === 'END' && (first === ';' || first === 'BEGIN' || first === 'ATOMIC');
  return isAfterBody || (!scan.hasBody && depth <= 0) ? end : -1;
}

/** Notes a sign or word that does not end the target, and returns its length. */
function stepAt(input: Input, pos: number, dialect: Dialect, scan: Scan): number {
  const { text } = input;
  switch (text.charAt(pos)) {
    case '/':
      return Math.max(1, executableAt(input, pos, dialect) - pos);
    case '(':
      scan.depth++;
      return 1;
    case ')':
      scan.depth--;
      return 1;
    case ';':
      if (scan.target === 'row') throw input.unreadable(pos, 'The row');
      scan.before = [scan.before[1], ';'];
      return 1;
    case 'U':
    case 'u':
      if (scan.target === 'rows') {
        if (IN_VALUE[text.charCodeAt(pos - 1)] !== 1 && matchAt(UPDATE, text, pos) !== undefined)
          throw notRead(input, pos, 'The UPDATE of an INSERT');
        return 1;
      }
  }
  const word = scan.target === 'routine' ? matchAt(WORD, text, pos) : undefined;
  if (word === undefined) return 1;
  const upper = word.toUpperCase();
  // PostgreSQL requires `BEGIN ATOMIC`, because an argument of a routine may be named `begin`.
  const isBegin = dialect.hasPostgresStrings
    ? upper === 'ATOMIC' && scan.before[1] === 'BEGIN'
    : upper === 'BEGIN';
  if (isBegin && scan.depth === 0) scan.hasBody = true;
  scan.before = [scan.before[1], upper];
  return word.length;
}

/** Problem of a statement that is not in the list of those that are read or skipped. */
export const notRead = (input: Input, pos: number, what: string) =>
  input.problemAt(
    pos,
    (place) =>
      `${what} at ${place} is not read: it may change rows, and statements are not executed here. Load the dump into ` +
      'a database, and name that (postgres://… or mysql://…) or dump it again. If it changes no users, remove it.',
  );
