import { type Cell, type ColumnKind, INVALID, MORE } from './cell.ts';
import type { Dialect } from './dialect.ts';
import {
  DOUBLE_QUOTED,
  type Escapes,
  EXTENDED,
  MYSQL,
  MYSQL_DOUBLE_QUOTED,
  PLAIN,
  UNICODE,
} from './escapes.ts';
import { callAt } from './function-call.ts';
import { quotedAt } from './quoted.ts';
import { putHex } from './text-of-bytes.ts';
import { matchAt, skipSpace } from './tokens.ts';
import type { Window } from './window.ts';

const NUMBER = /[-+]?(?:\d{1,400}\.?\d{0,400}|\.\d{1,400})(?:[eE][-+]?\d{1,9})?(?![\w.])/y;
const HEX = /0[xX][0-9A-Fa-f]*(?!\w)/y;
const BITS = /0[bB]([01]{1,400})(?!\w)/y;
const WORD = /[A-Za-z_]\w{0,63}/y;
/** Text between the first word and the quote of `TIMESTAMP WITH TIME ZONE '…'`. */
const TYPE_END = /(?: WITH(?:OUT)? TIME ZONE)? (?=')/iy;
const TYPE_END_MAX = ' WITHOUT TIME ZONE '.length + 1;
const TYPES = new Set(['DATE', 'TIME', 'TIMESTAMP', 'UUID', 'JSON']);
const NESTING_MAX = 8;

const CONSTANTS: Readonly<Record<string, string | null | undefined>> = {
  NULL: null,
  TRUE: 'true',
  FALSE: 'false',
  DEFAULT: undefined,
};

/**
 * Reads any value of an SQL row. `rowAt` has a faster path for plain strings and whole numbers.
 * @returns the index after the value, MORE or INVALID. INVALID may also mean that more of the dump is
 * needed
 * @throws FileProblem ENCODING_INVALID
 */
export function valueAt(
  window: Window,
  pos: number,
  dialect: Dialect,
  kind: ColumnKind,
  cell: Cell,
  nesting = 0,
): number {
  const { text } = window;
  cell.bytes = undefined;
  const sign = text.charAt(pos);
  if (sign === "'") return quotedAt(window, pos, "'", plainEscapes(dialect), kind, cell, dialect.isUnsure);
  if (sign === '"' && dialect.hasDoubleQuotedTexts) {
    const escapes = dialect.hasDoubleQuotedEscapes ? MYSQL_DOUBLE_QUOTED : DOUBLE_QUOTED;
    return quotedAt(window, pos, '"', escapes, kind, cell, dialect.isUnsure);
  }
  const word = matchAt(WORD, text, pos);
  if (word !== undefined) return wordAt(window, pos, word, dialect, kind, cell, nesting);
  const hex = matchAt(HEX, text, pos);
  if (hex !== undefined) return putHex(hex.slice(2), kind, cell) === undefined ? INVALID : pos + hex.length;
  const number = matchAt(NUMBER, text, pos) ?? matchAt(BITS, text, pos);
  if (number === undefined) return INVALID;
  // The number may continue in the rest of the SQL dump.
  if (pos + number.length === text.length) return MORE;
  cell.value = number.replace(/^0[bB]/, '');
  return pos + number.length;
}

const plainEscapes = (dialect: Dialect): Escapes => {
  if (!dialect.hasBackslashEscapes) return PLAIN;
  return dialect.name === 'mysql' ? MYSQL : EXTENDED;
};

function wordAt(
  window: Window,
  pos: number,
  word: string,
  dialect: Dialect,
  kind: ColumnKind,
  cell: Cell,
  nesting: number,
): number {
  const { text } = window;
  const end = pos + word.length;
  if (end === text.length) return MORE;
  const upper = word.toUpperCase();
  if (text.charAt(end) === "'") {
    if (upper === 'N') return quotedAt(window, end, "'", plainEscapes(dialect), kind, cell, dialect.isUnsure);
    if (upper === 'E' && dialect.hasPostgresStrings) return quotedAt(window, end, "'", EXTENDED, kind, cell);
    if (upper === 'B') return quotedAt(window, end, "'", PLAIN, 'text', cell);
    if (upper === 'X') {
      const after = quotedAt(window, end, "'", PLAIN, 'text', cell);
      return after >= 0 && putHex(cell.value ?? '', kind, cell) === undefined ? INVALID : after;
    }
  }
  if (upper === 'U' && text.startsWith("&'", end)) return quotedAt(window, end + 1, "'", UNICODE, kind, cell);
  if (nesting >= NESTING_MAX) return INVALID;
  if (word.startsWith('_')) {
    // A character set of MySQL (`_utf8mb4 '…'`). The bytes are UTF-8 nevertheless, except after `_binary`.
    const start = skipSpace(window, end, dialect);
    const itsKind = upper === '_BINARY' && kind !== 'bits' && kind !== 'uuid' ? 'bytes' : kind;
    return start < 0 ? MORE : valueAt(window, start, dialect, itsKind, cell, nesting + 1);
  }
  if (upper in CONSTANTS) {
    cell.value = CONSTANTS[upper];
    return end;
  }
  if (TYPES.has(upper)) {
    const typeEnd = matchAt(TYPE_END, text, end);
    if (typeEnd !== undefined) {
      return quotedAt(window, end + typeEnd.length, "'", plainEscapes(dialect), kind, cell, dialect.isUnsure);
    }
    const rest = text.slice(end, end + TYPE_END_MAX);
    return rest.length < TYPE_END_MAX && /^[A-Za-z ]*$/.test(rest) ? MORE : INVALID;
  }
  const read = (at: number, into: Cell) => valueAt(window, at, dialect, kind, into, nesting + 1);
  return callAt({ window, dialect, kind, cell, read }, upper, end);
}
