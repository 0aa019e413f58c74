import type { Dialect } from './dialect.ts';
import { type Scan, stopsOf } from './scan-state.ts';
import { dollarTagAt, executableAt, hasExtendedPrefix, isDashComment, matchAt } from './tokens.ts';
import {
  backslashFrom,
  checkEscape,
  LOOKAHEAD,
  LOOKBEHIND,
  unreadable,
  unsureBackslash,
  type Window,
} from './window.ts';

const BINARY = /_binary\s?$/i;
const UPDATE = /UPDATE(?!\w)/iy;
const WORD = /[\w$\x80-\xff]+/y;
const GO = /\n[ \t]*GO[ \t]*\r?(?:\n|$)/iy;
const NEXT_STATEMENT = /\n[ \t]*(?:GO[ \t]*\r?(?:\n|$)|INSERT[ \t[]|CREATE[ \t])/iy;

/** Skips an SQL dump to the end of `scan.target`. Returns false if more of the dump must be in memory. */
export function scanOn(window: Window, dialect: Dialect, scan: Scan): boolean {
  const { text } = window;
  const stops = stopsOf(scan, dialect);
  const limit = window.isEnd ? text.length : text.length - LOOKAHEAD;
  let pos = window.pos;
  for (;;) {
    if (scan.closing !== '') {
      const end =
        scan.closing === '*/' ? commentsEnd(window, scan, dialect, pos) : closingEnd(window, scan, pos);
      if (end === -1) return false;
      pos = end;
      scan.isAfterText = scan.closing === "'";
      scan.closing = '';
    }
    if (scan.isAfterText && pos < text.length) {
      scan.isAfterText = false;
      const hasRows = scan.target === 'row' || scan.target === 'rows';
      if (hasRows && isInValue(text.charCodeAt(pos))) throw unreadable(window, pos, 'The row');
    }
    while (pos < limit && stops[text.charCodeAt(pos)] === 0) pos++;
    if (pos >= limit) {
      window.pos = Math.max(pos, window.pos);
      return false;
    }
    const quick = quickTextEnd(window, pos, dialect);
    if (quick !== -1) {
      pos = quick;
      continue;
    }
    const sign = text.charAt(pos);
    const step = stepAt(window, pos, sign, dialect, scan);
    pos += step.by;
    if (step.isEnd) {
      window.pos = pos;
      return true;
    }
  }
}

const QUOTE = 0x27;
const OPEN = 0x28;
const CLOSE = 0x29;
const COMMA = 0x2c;
const SPACE = 0x20;

/** Fast path for SQL texts between commas or parentheses, without escapes. Returns -1 for other texts. */
function quickTextEnd(window: Window, pos: number, dialect: Dialect): number {
  const { text } = window;
  if (text.charCodeAt(pos) !== QUOTE) return -1;
  const before = text.charCodeAt(pos - 1);
  if (before !== COMMA && before !== OPEN && before !== SPACE) return -1;
  const end = text.indexOf("'", pos + 1);
  const after = end === -1 ? 0 : text.charCodeAt(end + 1);
  if (after !== COMMA && after !== CLOSE) return -1;
  return dialect.hasBackslashEscapes && backslashFrom(window, pos) < end ? -1 : end + 1;
}

const ON = { by: 1, isEnd: false };
const END_AFTER = { by: 1, isEnd: true };

/** If the sign opens an SQL string, name or comment, sets in `scan` what ends it. */
function stepAt(
  window: Window,
  pos: number,
  sign: string,
  dialect: Dialect,
  scan: Scan,
): { by: number; isEnd: boolean } {
  const { text } = window;
  if (scan.target === 'delimited' && text.startsWith(scan.delimiter, pos))
    return { by: scan.delimiter.length, isEnd: true };
  switch (sign) {
    case "'": {
      const hasRows = scan.target === 'row' || scan.target === 'rows';
      if (hasRows && isTorn(text, pos, dialect)) throw unreadable(window, pos, 'The row');
      const isExtended = hasExtendedPrefix(text, pos, dialect);
      scan.closing = sign;
      scan.hasEscapes = isExtended || dialect.hasBackslashEscapes;
      scan.isUnsure = dialect.isUnsure && !isExtended;
      scan.holdsBytes = BINARY.test(text.slice(Math.max(0, pos - LOOKBEHIND), pos));
      return ON;
    }
    case '"':
    case '`':
      scan.closing = sign;
      scan.hasEscapes = sign === '"' && dialect.hasDoubleQuotedEscapes;
      scan.isUnsure = dialect.isUnsure && scan.hasEscapes;
      return ON;
    case '[':
      return open(scan, ']', 1);
    case '-':
      return text[pos + 1] === '-' && isDashComment(text, pos, dialect) ? open(scan, '\n', 2) : ON;
    case '#':
      return open(scan, '\n', 1);
    case '/':
      return text[pos + 1] === '*' ? openComment(window, pos, dialect, scan) : ON;
    case '$': {
      const tag = dollarTagAt(text, pos);
      return tag === undefined ? ON : open(scan, tag, tag.length);
    }
    case '\n':
      return endsBeforeLine(text, pos, scan, dialect) ? { by: 1, isEnd: true } : ON;
    case '(':
      scan.depth++;
      return ON;
    case ')':
      scan.depth--;
      return scan.target === 'row' && scan.depth <= 0 ? END_AFTER : ON;
    case ';':
      if (scan.target === 'row') throw unreadable(window, pos, 'The row');
      return atSemicolon(scan);
    case 'U':
    case 'u':
      if (scan.target === 'rows') {
        scan.hasUpdate ||= matchAt(UPDATE, text, pos) !== undefined && !isInValue(text.charCodeAt(pos - 1));
        return ON;
      }
      return atWord(matchAt(WORD, text, pos) ?? sign, dialect, scan);
    default:
      return atWord(matchAt(WORD, text, pos) ?? sign, dialect, scan);
  }
}

function open(scan: Scan, closing: string, by: number) {
  scan.closing = closing;
  scan.hasEscapes = false;
  scan.isUnsure = false;
  return { by, isEnd: false };
}

function openComment(window: Window, pos: number, dialect: Dialect, scan: Scan) {
  const executable = executableAt(window, pos, dialect) ?? 0;
  if (executable > 0) return { by: executable - pos, isEnd: false };
  scan.comments = 1;
  return open(scan, '*/', 2);
}

/** Characters that never stand directly before or after an SQL string. */
const IN_VALUE = Uint8Array.from({ length: 256 }, (_, code) =>
  /[\w\\\x80-\xff]/.test(String.fromCharCode(code)) ? 1 : 0,
);
const isInValue = (code: number): boolean => IN_VALUE[code] === 1;
/** Matches what may precede the quote of an SQL string: E'…', N'…', X'…', B'…', _utf8'…', DATE'…'. */
const PREFIX = /(?:^|[^\w$\x80-\xff])(?:[ENBX]|_[A-Z0-9]{1,12}|DATE|TIME|TIMESTAMP)$/i;

/** Returns whether the character before an SQL quote shows that the previous text ended too early. */
function isTorn(text: string, pos: number, dialect: Dialect): boolean {
  if (!isInValue(text.charCodeAt(pos - 1))) return false;
  const before = text.charAt(pos - 1);
  if (
    /e/i.test(before) &&
    !dialect.hasPostgresStrings &&
    !/(?:date|time|_\w*)$/i.test(text.slice(Math.max(0, pos - LOOKBEHIND), pos))
  )
    return true;
  return !PREFIX.test(text.slice(Math.max(0, pos - LOOKBEHIND), pos));
}

function endsBeforeLine(text: string, pos: number, scan: Scan, dialect: Dialect): boolean {
  if (scan.target === 'row' || scan.target === 'delimited') return false;
  const isBatch = scan.target === 'batch' || (scan.target === 'routine' && !dialect.hasGoLines);
  return matchAt(isBatch ? GO : NEXT_STATEMENT, text, pos) !== undefined;
}

function atSemicolon(scan: Scan) {
  if (scan.target === 'delimited') return ON;
  if (scan.target === 'statement' || scan.target === 'rows') return END_AFTER;
  if (!scan.hasBody && scan.depth <= 0) return END_AFTER;
  const [first, last] = scan.before;
  if (last === 'END' && (first === ';' || first === 'BEGIN' || first === 'ATOMIC')) return END_AFTER;
  scan.before = [last, ';'];
  return ON;
}

/** PostgreSQL requires `BEGIN ATOMIC`, because an argument of a routine may be named `begin`. */
function atWord(word: string, dialect: Dialect, scan: Scan) {
  const upper = word.toUpperCase();
  const isBegin = dialect.hasPostgresStrings
    ? upper === 'ATOMIC' && scan.before[1] === 'BEGIN'
    : upper === 'BEGIN';
  if (isBegin && scan.depth === 0) scan.hasBody = true;
  scan.before = [scan.before[1], upper];
  return { by: word.length, isEnd: false };
}

function closingEnd(window: Window, scan: Scan, from: number): number {
  const { text } = window;
  const { closing } = scan;
  const mayBeDoubled = closing.length === 1 && closing !== '\n';
  let found = -1;
  for (let pos = from; ; ) {
    if (found < pos) found = text.indexOf(closing, pos);
    const backslash = scan.hasEscapes ? backslashFrom(window, pos) : Number.POSITIVE_INFINITY;
    if (found !== -1 && found < backslash) {
      // The line break after an SQL comment is not consumed, because a statement may end there.
      if (closing === '\n') return found;
      if (!mayBeDoubled) return found + closing.length;
      if (found + 1 === text.length && !window.isEnd) {
        window.pos = found;
        return -1;
      }
      if (text[found + 1] !== closing) return found + 1;
      pos = found + 2;
      continue;
    }
    if (scan.isUnsure && backslash < text.length) throw unsureBackslash(window, backslash);
    if (backslash + 1 >= text.length) {
      // The last comment of an SQL dump may end with the file instead of a line break.
      if (window.isEnd && closing === '\n') return text.length;
      const rest = Math.max(pos, text.length - closing.length + 1);
      window.pos = Number.isFinite(backslash) ? backslash : rest;
      return -1;
    }
    if (!scan.holdsBytes) checkEscape(window, backslash);
    pos = backslash + 2;
    if (found === -1) found = Number.POSITIVE_INFINITY;
  }
}

/** Returns the end of the outermost SQL comment, or -1 if more of the dump must be in memory. */
export function commentsEnd(
  window: Window,
  scan: Pick<Scan, 'comments'>,
  dialect: Dialect,
  from: number,
): number {
  const { text } = window;
  for (let pos = from; ; ) {
    COMMENT_SIGN.lastIndex = pos;
    const found = COMMENT_SIGN.exec(text);
    if (found === null) {
      window.pos = Math.max(pos, text.length - 1);
      return -1;
    }
    pos = found.index + 2;
    if (found[0] === '*/') scan.comments--;
    else if (dialect.hasNestedComments) scan.comments++;
    // Only some systems nest SQL comments, so the end of the outer comment is uncertain.
    else if (dialect.isUnsure) throw unreadable(window, found.index, 'The comment within a comment');
    if (scan.comments === 0) return pos;
  }
}

const COMMENT_SIGN = /\/\*|\*\//g;
