import { type Cell, type ColumnKind, INVALID, MORE } from './cell.ts';
import type { Dialect } from './dialect.ts';
import { typeEnd } from './function-call.ts';
import type { Values } from './record.ts';
import type { RowShape } from './row-shape.ts';
import { skipSpace } from './tokens.ts';
import { valueAt } from './value.ts';
import { backslashFrom, LOOKAHEAD, textBetween, type Window } from './window.ts';

const QUOTE = 0x27;
const OPEN = 0x28;
const CLOSE = 0x29;
const COMMA = 0x2c;
const MINUS = 0x2d;
const COLON = 0x3a;
const SPACE = 0x20;
const LETTER_N = 0x4e;

/** No database permits longer rows. SQLite permits at most 32,767 values, by default 2,000. */
const VALUES_MAX = 32_767;

/**
 * Reads a row of INSERT, from its opening parenthesis, into `values`.
 * @returns the index after the closing parenthesis, MORE or INVALID
 * @throws FileProblem ENCODING_INVALID
 */
export function rowAt(
  window: Window,
  from: number,
  dialect: Dialect,
  shape: RowShape,
  cell: Cell,
  values: Values,
): number {
  const { text } = window;
  values.length = 0;
  if (text.charCodeAt(from) !== OPEN) return INVALID;
  let pos = from + 1;
  for (;;) {
    if (isSpaceOrComment(text.charCodeAt(pos))) pos = skipSpace(window, pos, dialect);
    if (pos < 0) return MORE;
    const kind = shape.kinds?.[values.length] ?? shape.otherKind;
    const start = pos;
    pos = quickValueAt(window, start, dialect, kind, cell);
    if (pos < 0) pos = valueAt(window, start, dialect, kind, cell);
    if (pos === INVALID && !window.isEnd && start + LOOKAHEAD > text.length) return MORE;
    if (pos < 0) return pos;
    values.push(cell.value);
    let sign = text.charCodeAt(pos);
    if (isSpaceOrComment(sign)) {
      pos = skipSpace(window, pos, dialect);
      if (pos < 0) return MORE;
      sign = text.charCodeAt(pos);
    }
    if (sign === COLON) {
      pos = typeEnd(text, pos);
      if (pos < 0) return pos;
      sign = text.charCodeAt(pos);
    }
    pos++;
    if (sign === CLOSE) return pos;
    if (sign !== COMMA) return pos > text.length ? MORE : INVALID;
    if (values.length >= VALUES_MAX) return INVALID;
  }
}

const isSpaceOrComment = (code: number) => code <= SPACE || code === MINUS || code === 0x2f || code === 0x23;

/** Fast path for SQL strings without escapes, N'…', NULL and whole numbers. Returns -1 for other values. */
function quickValueAt(window: Window, pos: number, dialect: Dialect, kind: ColumnKind, cell: Cell): number {
  const { text } = window;
  const code = text.charCodeAt(pos);
  const isNational = code === LETTER_N && text.charCodeAt(pos + 1) === QUOTE;
  if (code === QUOTE || isNational) {
    if (kind !== undefined && kind !== 'text') return -1;
    const start = isNational ? pos + 2 : pos + 1;
    const end = text.indexOf("'", start);
    // The next character shows whether the quote is doubled, and does not end the SQL text.
    if (end === -1 || end + 1 === text.length || text.charCodeAt(end + 1) === QUOTE) return -1;
    if (dialect.hasBackslashEscapes && backslashFrom(window, pos) < end) return -1;
    cell.value = textBetween(window, start, end);
    return end + 1;
  }
  if (code === LETTER_N && text.startsWith('NULL', pos)) {
    const next = text.charCodeAt(pos + 4);
    if (next !== COMMA && next !== CLOSE) return -1;
    cell.value = null;
    return pos + 4;
  }
  let end = code === MINUS ? pos + 1 : pos;
  let digit = text.charCodeAt(end);
  if (digit < 0x30 || digit > 0x39) return -1;
  do digit = text.charCodeAt(++end);
  while (digit >= 0x30 && digit <= 0x39);
  if (digit !== COMMA && digit !== CLOSE) return -1;
  cell.value = text.substring(pos, end);
  return end;
}
