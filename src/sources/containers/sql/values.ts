import { isUtf8 } from 'node:buffer';
import {
  type Cell,
  type ColumnKind,
  ESCAPES,
  type Escapes,
  putHex,
  textOfBytes,
  unescapeBytes,
} from './bytes.ts';
import type { Dialect } from './dialect.ts';
import { callAt, typeEnd } from './function-call.ts';
import { INVALID, type Input, LOOKAHEAD, MORE } from './input.ts';
import { matchAt, skipSpace, spanAt, spanEnd } from './tokens.ts';

/** The values of a row. Undefined for a column without a known value. */
export type Values = (string | null | undefined)[];

/** Columns of the rows of an INSERT, and whether the columns may hold bytes. */
export interface RowShape {
  columns: readonly string[];
  /** Undefined if all columns are of `otherKind`. */
  kinds: readonly ColumnKind[] | undefined;
  /** Kind of the columns whose type is not known. */
  otherKind: ColumnKind;
}

const QUOTE = 0x27;
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
  input: Input,
  from: number,
  dialect: Dialect,
  shape: RowShape,
  cell: Cell,
  values: Values,
): number {
  const { text } = input;
  values.length = 0;
  let pos = from + 1;
  for (;;) {
    if (isSpaceOrComment(text.charCodeAt(pos))) pos = skipSpace(input, pos, dialect);
    if (pos < 0) return MORE;
    const kind = shape.kinds?.[values.length] ?? shape.otherKind;
    const start = pos;
    pos = quickValueAt(input, start, dialect, kind, cell);
    if (pos < 0) pos = valueAt(input, start, dialect, kind, cell);
    if (pos === INVALID && !input.isEnd && start + LOOKAHEAD > text.length) return MORE;
    if (pos < 0) return pos;
    values.push(cell.value);
    let sign = text.charCodeAt(pos);
    if (isSpaceOrComment(sign)) {
      pos = skipSpace(input, pos, dialect);
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

/** Fast path for texts without escapes, N'…', NULL and whole numbers. Returns -1 for other values. */
function quickValueAt(input: Input, pos: number, dialect: Dialect, kind: ColumnKind, cell: Cell): number {
  const { text } = input;
  const code = text.charCodeAt(pos);
  const isNational = code === LETTER_N && text.charCodeAt(pos + 1) === QUOTE;
  if (code === QUOTE || isNational) {
    if (kind !== undefined && kind !== 'text') return -1;
    const start = isNational ? pos + 2 : pos + 1;
    const end = text.indexOf("'", start);
    // The next character shows whether the quote is doubled, and does not end the text.
    if (end === -1 || end + 1 === text.length || text.charCodeAt(end + 1) === QUOTE) return -1;
    if (dialect.hasBackslashEscapes && input.backslashFrom(pos) < end) return -1;
    cell.value = input.textBetween(start, end);
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

const NUMBER = /[-+]?(?:\d{1,400}\.?\d{0,400}|\.\d{1,400})(?:[eE][-+]?\d{1,9})?(?![\w.])/y;
const HEX = /0[xX][0-9A-Fa-f]*(?!\w)/y;
const BITS = /0[bB]([01]{1,400})(?!\w)/y;
const WORD = /[A-Za-z_]\w{0,63}/y;
/** `DATE '…'`, `TIMESTAMP WITH TIME ZONE '…'`, up to the quote. */
const TYPED = /(?:DATE|TIME|TIMESTAMP|UUID|JSON)(?: WITH(?:OUT)? TIME ZONE)? (?=')/iy;
const NESTING_MAX = 8;

const CONSTANTS: Readonly<Record<string, string | null | undefined>> = {
  NULL: null,
  TRUE: 'true',
  FALSE: 'false',
  DEFAULT: undefined,
};

/**
 * Reads any value of a row. `rowAt` has a faster path for plain texts and whole numbers.
 * @returns the index after the value, MORE or INVALID
 * @throws FileProblem ENCODING_INVALID
 */
function valueAt(
  input: Input,
  pos: number,
  dialect: Dialect,
  kind: ColumnKind,
  cell: Cell,
  nesting = 0,
): number {
  const { text } = input;
  cell.bytes = undefined;
  const sign = text.charAt(pos);
  if (sign === "'" || (sign === '"' && dialect.hasDoubleQuotedTexts))
    return quotedAt(input, pos, escapesOf(sign, dialect), dialect, kind, cell);
  const word = matchAt(WORD, text, pos);
  if (word !== undefined) return wordAt(input, pos, word, dialect, kind, cell, nesting);
  const hex = matchAt(HEX, text, pos);
  if (hex !== undefined) return putHex(hex.slice(2), kind, cell) ? pos + hex.length : INVALID;
  const number = matchAt(NUMBER, text, pos) ?? matchAt(BITS, text, pos);
  if (number === undefined) return INVALID;
  // The number may continue in the rest of the dump.
  if (pos + number.length === text.length) return MORE;
  cell.value = number.replace(/^0[bB]/, '');
  return pos + number.length;
}

function escapesOf(quote: string, dialect: Dialect): Escapes {
  if (!dialect.hasBackslashEscapes) return quote === '"' ? ESCAPES.doubleQuoted : ESCAPES.plain;
  if (quote === '"') return ESCAPES.mysqlDoubleQuoted;
  return dialect.name === 'mysql' ? ESCAPES.mysql : ESCAPES.extended;
}

function wordAt(
  input: Input,
  pos: number,
  word: string,
  dialect: Dialect,
  kind: ColumnKind,
  cell: Cell,
  nesting: number,
): number {
  const { text } = input;
  const end = pos + word.length;
  if (end === text.length) return MORE;
  const upper = word.toUpperCase();
  if (text.charAt(end) === "'") {
    if (upper === 'N') return quotedAt(input, end, escapesOf("'", dialect), dialect, kind, cell);
    if (upper === 'E' && dialect.hasPostgresStrings)
      return quotedAt(input, end, ESCAPES.extended, dialect, kind, cell);
    if (upper === 'B' || upper === 'X') {
      const after = quotedAt(input, end, escapesOf("'", dialect), dialect, 'text', cell);
      return after < 0 || upper === 'B' || putHex(cell.value ?? '', kind, cell) ? after : INVALID;
    }
  }
  if (upper === 'U' && text.startsWith("&'", end))
    return quotedAt(input, end + 1, ESCAPES.unicode, dialect, kind, cell);
  if (nesting >= NESTING_MAX) return INVALID;
  if (word.startsWith('_')) {
    // A character set of MySQL (`_utf8mb4 '…'`). The bytes are UTF-8 nevertheless, except after `_binary`.
    const start = skipSpace(input, end, dialect);
    const itsKind = upper === '_BINARY' && kind !== 'bits' && kind !== 'uuid' ? 'bytes' : kind;
    return start < 0 ? MORE : valueAt(input, start, dialect, itsKind, cell, nesting + 1);
  }
  if (upper in CONSTANTS) {
    cell.value = CONSTANTS[upper];
    return end;
  }
  const typed = matchAt(TYPED, text, pos);
  if (typed !== undefined)
    return quotedAt(input, pos + typed.length, escapesOf("'", dialect), dialect, kind, cell);
  const read = (at: number, into: Cell) => valueAt(input, at, dialect, kind, into, nesting + 1);
  return callAt({ input, dialect, kind, cell, read }, upper, end);
}

/**
 * Reads a quoted text, from its opening quote.
 * @throws FileProblem ENCODING_INVALID if a text is not UTF-8 and its column cannot hold bytes
 * @throws ProblemAt for a backslash, if it may or may not be an escape
 */
function quotedAt(
  input: Input,
  pos: number,
  escapes: Escapes,
  dialect: Dialect,
  kind: ColumnKind,
  cell: Cell,
): number {
  const quoted = spanAt(input, pos, dialect);
  if (quoted === undefined) return INVALID;
  const holdsBytes = kind !== undefined && kind !== 'text' && kind !== 'unknown';
  const start = pos + 1;
  const backslash = escapes.signs === undefined ? Number.POSITIVE_INFINITY : input.backslashFrom(start);
  const after = spanEnd(input, { ...quoted, holdsBytes: holdsBytes || quoted.holdsBytes }, start, dialect);
  if (after === MORE) return MORE;
  const end = after - 1;
  const isPlain = backslash >= end && input.text.indexOf(quoted.closing, start) === end;
  if (isPlain && !holdsBytes && kind !== 'unknown') {
    cell.value = input.textBetween(start, end);
    return after;
  }
  const bytes = isPlain ? input.bytes.subarray(start, end) : unescapeBytes(input.bytes, start, end, escapes);
  if (holdsBytes) cell.bytes = bytes;
  cell.value = holdsBytes ? textOfBytes(bytes, kind) : utf8Text(input, start, end, bytes, escapes, kind);
  return after;
}

function utf8Text(
  input: Input,
  start: number,
  end: number,
  bytes: Buffer,
  escapes: Escapes,
  kind: ColumnKind,
): string {
  // Escapes can express bytes that do not occur in the dump itself, so the unescaped text is checked.
  const isWide = input.hasWide(start, end);
  if (!isWide && !escapes.hasByteCodes && escapes.codePoints.length === 0) return bytes.toString('latin1');
  if (isWide && kind !== 'unknown' && input.foreignCharset !== undefined) throw input.notUtf8(start);
  if (isUtf8(bytes)) return bytes.toString();
  if (kind !== 'unknown') throw input.notUtf8(start);
  return bytes.toString('hex');
}
