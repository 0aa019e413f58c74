import { isUtf8 } from 'node:buffer';

/**
 * Whether the type of a column allows bytes that are not text. `unknown`: the type is not known, but the dump
 * declares UTF-8, so other values are bytes. Undefined: neither type nor encoding is known.
 */
export type ColumnKind = 'text' | 'bits' | 'bytes' | 'uuid' | 'unknown' | undefined;

/** Receives one value of a row. It is used again for each value. */
export interface Cell {
  /** Undefined if the value is `DEFAULT`, which the dump does not show. */
  value: string | null | undefined;
  /** Set only if the dump has a binary value and not a text. */
  bytes: Buffer | undefined;
}

/** Control characters that never occur in text. */
const CONTROL = /[^\P{Cc}\t\n\r]/u;

/**
 * Converts the bytes of a value to text: as UTF-8 if they are printable, otherwise in lower-case hex. A
 * `binary(16)` of sixteen bytes is always hex, because some UUIDs are valid text. A `bit(n)` is a number.
 */
export function textOfBytes(bytes: Buffer, kind: ColumnKind): string {
  if (kind === 'bits' && bytes.length > 0 && bytes.length <= 8)
    return BigInt(`0x${bytes.toString('hex')}`).toString();
  if (kind === 'uuid' && bytes.length === 16) return bytes.toString('hex');
  if (!isUtf8(bytes)) return bytes.toString('hex');
  const text = bytes.toString();
  return CONTROL.test(text) ? bytes.toString('hex') : text;
}

/** Stores bytes that are written in hex. Returns false if the digits are not hex. */
export function putHex(digits: string, kind: ColumnKind, cell: Cell): boolean {
  if (digits.length % 2 !== 0 || !/^[0-9A-Fa-f]*$/.test(digits)) return false;
  cell.bytes = Buffer.from(digits, 'hex');
  cell.value = textOfBytes(cell.bytes, kind);
  return true;
}

/** Escape rules of one kind of text, such as MySQL's '…'. */
export interface Escapes {
  /** Code of the character that stands for itself if it is doubled, or -1 for none. */
  readonly doubled: number;
  /** Meanings of characters after a backslash: a byte, `KEPT` or `CODE`. Undefined if backslashes are text. */
  readonly signs: Int16Array | undefined;
  /** Whether the escapes `\101` (octal) and `\x41` stand for bytes. */
  readonly hasByteCodes: boolean;
  /** Unicode escapes: the character between backslash and hex digits, and the number of digits. */
  readonly codePoints: readonly (readonly [sign: string, digits: number])[];
}

/** The character forms no escape, so that the backslash before it is kept as text. */
const KEPT = -1;
/** The character begins the number of a byte or of a Unicode character, such as `x` in `\x41`. */
const CODE = -2;

interface Rules {
  /** Bytes for letters after a backslash. Any other character after a backslash stands for itself. */
  letters?: Readonly<Record<string, number>>;
  hasByteCodes?: boolean;
  codePoints?: Escapes['codePoints'];
}

function escapes(doubled: string, rules?: Rules): Escapes {
  const { letters = {}, hasByteCodes = false, codePoints = [] } = rules ?? {};
  const signs = Int16Array.from({ length: 256 }, (_, sign) => sign);
  const set = (some: string, value: number) => {
    for (const sign of some) signs[sign.charCodeAt(0)] = value;
  };
  if (hasByteCodes) set('01234567x', CODE);
  for (const [sign] of codePoints) set(sign === '' ? '0123456789abcdefABCDEF' : sign, CODE);
  for (const [letter, value] of Object.entries(letters)) set(letter, value);
  return {
    doubled: doubled === '' ? -1 : doubled.charCodeAt(0),
    signs: rules && signs,
    hasByteCodes,
    codePoints,
  };
}

const CONTROLS = { b: 8, f: 12, n: 10, r: 13, t: 9 } as const;
/** '…' and "…" of MySQL (manual, "String Literals"): `\%` and `\_` keep their backslash. */
const MYSQL_RULES = { letters: { 0: 0, b: 8, n: 10, r: 13, t: 9, Z: 26, '%': KEPT, _: KEPT } };

export const ESCAPES = {
  plain: escapes("'"),
  doubleQuoted: escapes('"'),
  mysql: escapes("'", MYSQL_RULES),
  mysqlDoubleQuoted: escapes('"', MYSQL_RULES),
  /** E'…' of PostgreSQL, and '…' if standard_conforming_strings is off. */
  extended: escapes("'", {
    letters: CONTROLS,
    hasByteCodes: true,
    codePoints: [
      ['u', 4],
      ['U', 8],
    ],
  }),
  /** U&'…' of PostgreSQL. */
  unicode: escapes("'", {
    codePoints: [
      ['', 4],
      ['+', 6],
    ],
  }),
  /** The argument of SQLite's unistr(). */
  unistr: escapes('', {
    codePoints: [
      ['', 4],
      ['+', 6],
      ['u', 4],
      ['U', 8],
    ],
  }),
  /** A cell of COPY (PostgreSQL's manual, "COPY", text format). */
  copy: escapes('', { letters: { ...CONTROLS, v: 11 }, hasByteCodes: true }),
} as const;

const BACKSLASH = 0x5c;

/** Returns the bytes of an escaped text. The result is never longer than the input. */
export function unescapeBytes(bytes: Buffer, start: number, end: number, rules: Escapes): Buffer {
  const out = Buffer.allocUnsafe(end - start);
  const { doubled, signs } = rules;
  let length = 0;
  let pos = start;
  while (pos < end) {
    const byte = bytes[pos++] ?? 0;
    if (byte !== BACKSLASH || signs === undefined || pos === end) {
      out[length++] = byte;
      if (byte === doubled) pos++;
      continue;
    }
    const sign = bytes[pos] ?? 0;
    const meant = signs[sign] ?? sign;
    const code = meant === CODE ? codeAt(bytes, pos, end, rules) : undefined;
    if (code !== undefined) {
      length += code.bytes.copy(out, length);
      pos = code.end;
    } else {
      if (meant === KEPT) out[length++] = BACKSLASH;
      out[length++] = meant < 0 ? sign : meant;
      pos++;
    }
  }
  return out.subarray(0, length);
}

function codeAt(bytes: Buffer, pos: number, end: number, { hasByteCodes, codePoints }: Escapes) {
  const digits = /^(?:[0-7]{1,3}|x[0-9A-Fa-f]{1,2})/.exec(
    bytes.toString('latin1', pos, Math.min(end, pos + 3)),
  )?.[0];
  if (hasByteCodes && digits !== undefined) {
    const value = digits.startsWith('x') ? Number.parseInt(digits.slice(1), 16) : Number.parseInt(digits, 8);
    return { bytes: Buffer.of(value), end: pos + digits.length };
  }
  for (const [sign, count] of codePoints) {
    const high = codePointAt(bytes, pos, end, sign, count);
    if (high === undefined) continue;
    const highEnd = pos + sign.length + count;
    // The second half of a UTF-16 surrogate pair is escaped in the same way.
    const isHalf = high >= 0xd800 && high <= 0xdbff && bytes[highEnd] === BACKSLASH;
    const low = isHalf ? codePointAt(bytes, highEnd + 1, end, sign, count) : undefined;
    return low === undefined
      ? { bytes: Buffer.from(String.fromCodePoint(high)), end: highEnd }
      : { bytes: Buffer.from(String.fromCodePoint(high, low)), end: highEnd + 1 + sign.length + count };
  }
  return undefined;
}

function codePointAt(
  bytes: Buffer,
  pos: number,
  end: number,
  sign: string,
  count: number,
): number | undefined {
  const from = pos + sign.length;
  if (from + count > end || bytes.toString('latin1', pos, from) !== sign) return undefined;
  const text = bytes.toString('latin1', from, from + count);
  const value = /^[0-9A-Fa-f]+$/.test(text) ? Number.parseInt(text, 16) : Number.POSITIVE_INFINITY;
  return value > 0x10ffff ? undefined : value;
}
