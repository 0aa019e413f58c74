import { isUtf8 } from 'node:buffer';
import { type ColumnKind, textOfBytes, unescaped } from './bytes.ts';
import { saysUtf8 } from './dialects.ts';
import { INVALID, LOOKAHEAD, MORE, type Script } from './script.ts';
import type { Column } from './tables.ts';
import { skipSpace, spanAt, spanEnd } from './tokens.ts';

/** The values of a row. Undefined for a value that the dump does not show, such as `DEFAULT`. */
export type Values = (string | null | undefined)[];

const QUOTE = 0x27;
const CLOSE = 0x29;
const COMMA = 0x2c;
const MINUS = 0x2d;
const COLON = 0x3a;
const SPACE = 0x20;
const LETTER_N = 0x4e;

/** No database permits longer rows. SQLite permits at most 32,767 values, by default 2,000. */
const VALUES_MAX = 32_767;
const NESTING_MAX = 8;
const ARGUMENTS_MAX = 16;

const HEX = /0[xX][0-9A-Fa-f]*(?!\w)/y;
const BITS = /0[bB][01]{1,400}(?!\w)/y;
const NUMBER = /[-+]?(?:\d{1,400}\.?\d{0,400}|\.\d{1,400})(?:[eE][-+]?\d{1,9})?(?![\w.])/y;
/** What may precede a text: N'…', E'…', X'…', B'…', U&'…', DATE '…', or a character set of MySQL: _utf8mb4 '…'. */
const PREFIX =
  /(?:[NEXB]|U&|(?:DATE|TIME|TIMESTAMP|UUID|JSON)(?: WITH(?:OUT)? TIME ZONE)? )(?=')|_\w{1,32}\s{0,9}(?=['"0XB])/iy;
const WORD = /[A-Za-z_]\w{0,31}/y;

const CONSTANTS: ReadonlyMap<string, string | null | undefined> = new Map([
  ['NULL', null],
  ['TRUE', 'true'],
  ['FALSE', 'false'],
  ['DEFAULT', undefined],
]);

/** Reads the rows of INSERT, value by value. */
export class ValueReader {
  readonly values: Values = [];
  #value: string | null | undefined;
  /** Set only if the dump has a binary value and not a text. */
  #bytes: Buffer | undefined;
  #isWanted = true;
  readonly #script: Script;

  constructor(script: Script) {
    this.#script = script;
  }

  /**
   * Reads a row from its opening parenthesis.
   * @param columns undefined if they are not known yet
   * @param isWanted false if only the end of the row is looked for
   * @returns the index after the closing parenthesis, MORE or INVALID
   * @throws FileProblem ENCODING_INVALID
   */
  rowAt(from: number, columns: readonly Column[] | undefined, isWanted: boolean): number {
    const { values } = this;
    this.#isWanted = isWanted;
    const script = this.#script;
    const { text } = script;
    const otherKind = columns === undefined ? 'bytes' : saysUtf8(script.session) ? 'unknown' : undefined;
    values.length = 0;
    let pos = from + 1;
    for (;;) {
      if (isSpaceOrComment(text.charCodeAt(pos))) pos = skipSpace(script, pos);
      if (pos < 0 || (pos + LOOKAHEAD > text.length && !script.isEnd)) return MORE;
      const kind = columns?.[values.length]?.kind ?? otherKind;
      const quick = this.#quickAt(pos, kind);
      pos = quick < 0 ? this.#valueAt(pos, kind, 0) : quick;
      if (pos < 0) return pos;
      values.push(this.#value);
      if (isSpaceOrComment(text.charCodeAt(pos))) pos = skipSpace(script, pos);
      if (pos >= 0 && text.charCodeAt(pos) === COLON) pos = typeEnd(text, pos);
      if (pos < 0) return pos;
      const sign = text.charCodeAt(pos++);
      if (sign === CLOSE) return pos;
      if (sign !== COMMA) return pos > text.length ? MORE : INVALID;
      if (values.length >= VALUES_MAX) return INVALID;
    }
  }

  /** Fast path for texts without escapes, N'…', NULL and whole numbers. Returns -1 for other values. */
  #quickAt(pos: number, kind: ColumnKind): number {
    const script = this.#script;
    const { text } = script;
    const code = text.charCodeAt(pos);
    const isNational = code === LETTER_N && text.charCodeAt(pos + 1) === QUOTE;
    if (code === QUOTE || isNational) {
      if (kind !== undefined && kind !== 'text') return -1;
      const start = isNational ? pos + 2 : pos + 1;
      const end = text.indexOf("'", start);
      // The next character shows whether the quote is doubled, and does not end the text.
      if (end === -1 || end + 1 === text.length || text.charCodeAt(end + 1) === QUOTE) return -1;
      if (script.session.hasEscapes !== false && script.backslashFrom(pos) < end) return -1;
      if (this.#isWanted) this.#value = script.decoded(text.substring(start, end), start);
      return end + 1;
    }
    if (code === LETTER_N && text.startsWith('NULL', pos)) {
      const next = text.charCodeAt(pos + 4);
      if (next !== COMMA && next !== CLOSE) return -1;
      this.#value = null;
      return pos + 4;
    }
    let end = code === MINUS ? pos + 1 : pos;
    let digit = text.charCodeAt(end);
    if (digit < 0x30 || digit > 0x39) return -1;
    do digit = text.charCodeAt(++end);
    while (digit >= 0x30 && digit <= 0x39);
    if (digit !== COMMA && digit !== CLOSE) return -1;
    this.#value = text.substring(pos, end);
    return end;
  }

  /**
   * Reads any value of a row.
   * @returns the index after the value, MORE or INVALID
   * @throws FileProblem ENCODING_INVALID
   */
  #valueAt(pos: number, kind: ColumnKind, nesting: number): number {
    const script = this.#script;
    const { text, session } = script;
    this.#bytes = undefined;
    const sign = text.charAt(pos);
    if (sign === "'" || (sign === '"' && session.dialect.hasDoubleQuotedTexts && !session.hasAnsiQuotes))
      return this.#quotedAt(pos, kind);
    if (nesting >= NESTING_MAX) return INVALID;
    const prefix = script.matches(PREFIX, pos);
    if (prefix !== undefined)
      return this.#prefixedAt(pos + prefix.length, prefix.toUpperCase(), kind, nesting);
    const number = script.matches(HEX, pos) ?? script.matches(BITS, pos) ?? script.matches(NUMBER, pos);
    if (number !== undefined) return this.#numberAt(pos, number, kind);
    const name = script.matches(WORD, pos)?.toUpperCase() ?? '';
    const end = skipSpace(script, pos + name.length);
    if (end < 0) return MORE;
    if (text[end] === '(') return this.#callAt(end + 1, name, kind, nesting + 1);
    if (!CONSTANTS.has(name)) return INVALID;
    this.#value = CONSTANTS.get(name);
    return end;
  }

  #numberAt(pos: number, number: string, kind: ColumnKind): number {
    const end = pos + number.length;
    // The number may continue in the rest of the dump.
    if (end === this.#script.text.length) return MORE;
    const isHex = /^0x/i.test(number);
    this.#value = number.replace(/^0[bB]/, '');
    return !isHex || this.#putHex(number.slice(2), kind) ? end : INVALID;
  }

  #prefixedAt(pos: number, prefix: string, kind: ColumnKind, nesting: number): number {
    const { dialect } = this.#script.session;
    // The bytes after the name of a character set are UTF-8 nevertheless, except after `_binary`.
    if (prefix.startsWith('_')) {
      const isBinary = prefix.trim() === '_BINARY' && kind !== 'bits' && kind !== 'uuid';
      return this.#valueAt(pos, isBinary ? 'bytes' : kind, nesting + 1);
    }
    if (prefix === 'X' || prefix === 'B') {
      const after = this.#quotedAt(pos, 'text');
      return after < 0 || prefix === 'B' || this.#putHex(this.#value ?? '', kind) ? after : INVALID;
    }
    if ((prefix === 'E' || prefix === 'U&') && !dialect.hasPostgresTexts) return INVALID;
    return this.#quotedAt(pos, kind);
  }

  /**
   * Reads a quoted text, from its opening quote.
   * @throws FileProblem ENCODING_INVALID if a text is not UTF-8 and its column cannot hold bytes, or if a backslash
   * may or may not be an escape
   */
  #quotedAt(pos: number, kind: ColumnKind): number {
    const script = this.#script;
    const quoted = spanAt(script, pos);
    if (quoted === undefined) return INVALID;
    const isOfBytes = kind === 'bits' || kind === 'bytes' || kind === 'uuid';
    const after = spanEnd(script, isOfBytes ? { ...quoted, holdsBytes: true } : quoted, pos + 1);
    if (after === MORE) return MORE;
    if (!this.#isWanted) {
      this.#value = '';
      return after;
    }
    const raw = unescaped(script.text.slice(pos + 1, after - 1), quoted.style, quoted.closing);
    if (isOfBytes) this.#putBytes(Buffer.from(raw, 'latin1'), kind);
    else if (kind === 'unknown') this.#value = textOrHex(raw);
    else this.#value = script.decoded(raw, pos + 1);
    return after;
  }

  #putBytes(bytes: Buffer, kind: ColumnKind): void {
    this.#bytes = bytes;
    this.#value = textOfBytes(bytes, kind);
  }

  /** Returns false if the digits are not hex. */
  #putHex(digits: string, kind: ColumnKind): boolean {
    const isHex = digits.length % 2 === 0 && /^[0-9A-Fa-f]*$/.test(digits);
    if (isHex) this.#putBytes(Buffer.from(digits, 'hex'), kind);
    return isHex;
  }

  /** Evaluates a function from after its parenthesis. */
  #callAt(pos: number, name: string, kind: ColumnKind, nesting: number): number {
    const isOfSqlServer = this.#script.session.dialect.name === 'mssql';
    if (/^(?:TRY_)?CONVERT$/.test(name) && isOfSqlServer) return this.#convertAt(pos, kind, nesting);
    if (/^(?:TRY_)?(?:CAST|CONVERT)$/.test(name)) return this.#castAt(pos, kind, nesting);
    const combine = FUNCTIONS.get(name);
    if (combine === undefined) return INVALID;
    const texts: (string | null)[] = [];
    for (let at = pos; texts.length < ARGUMENTS_MAX; at++) {
      at = this.#argumentAt(at, kind, nesting);
      if (at < 0) return at;
      if (this.#value === undefined) return INVALID;
      texts.push(this.#value);
      const sign = this.#script.text[at];
      if (sign === ',') continue;
      if (sign !== ')') return INVALID;
      const known = texts.filter((text) => text !== null);
      // A function of which any argument is NULL returns NULL.
      this.#value = known.length < texts.length ? null : combine(known);
      if (this.#value === undefined) return INVALID;
      const isDone = name !== 'UNHEX' || this.#value === null || this.#putHex(this.#value, kind);
      return isDone ? at + 1 : INVALID;
    }
    return INVALID;
  }

  /** Reads an argument of a function, and the white space around it. */
  #argumentAt(from: number, kind: ColumnKind, nesting: number): number {
    const start = skipSpace(this.#script, from);
    const end = start < 0 ? start : this.#valueAt(start, kind, nesting);
    return end < 0 ? end : skipSpace(this.#script, end);
  }

  /** `CAST('…' AS type)`. MySQL: `CONVERT('…' USING utf8mb4)`, `CONVERT('…', CHAR)`. */
  #castAt(pos: number, kind: ColumnKind, nesting: number): number {
    const after = this.#argumentAt(pos, kind, nesting);
    if (after < 0) return after;
    const lead = this.#script.matches(/,|(?:AS|USING)\s/iy, after);
    return lead === undefined ? INVALID : this.#typeAt(after + lead.length);
  }

  /** SQL Server: `CONVERT(datetime, N'…', 120)`. */
  #convertAt(pos: number, kind: ColumnKind, nesting: number): number {
    const { text } = this.#script;
    const comma = typeEnd(text, pos);
    if (comma < 0 || text[comma] !== ',') return comma < 0 ? comma : INVALID;
    const after = this.#argumentAt(comma + 1, kind, nesting);
    if (after < 0) return after;
    this.#decodeTime(text.slice(pos, comma));
    const close = text[after] === ',' ? typeEnd(text, after + 1) : after;
    if (close < 0) return close;
    return text[close] === ')' ? close + 1 : INVALID;
  }

  #typeAt(pos: number): number {
    const { text } = this.#script;
    const end = typeEnd(text, pos);
    if (end < 0) return end;
    if (text[end] !== ')') return INVALID;
    this.#decodeTime(text.slice(pos, end));
    return end + 1;
  }

  /** Decodes `CAST(0x… AS DateTime)` of SQL Server Management Studio up to 2012. */
  #decodeTime(type: string): void {
    if (this.#bytes !== undefined && this.#script.session.dialect.name === 'mssql')
      this.#value = mssqlTime(/\w+/.exec(type)?.[0] ?? '', this.#bytes) ?? this.#value;
  }
}

const isSpaceOrComment = (code: number) => code <= SPACE || code === MINUS || code === 0x2f || code === 0x23;

function textOrHex(raw: string): string {
  const bytes = Buffer.from(raw, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : bytes.toString('hex');
}

/** Functions that dumps call. They return undefined if their arguments are not those of a dump. */
const FUNCTIONS: ReadonlyMap<string, (texts: readonly string[]) => string | undefined> = new Map([
  ['REPLACE', replaced],
  ['CHAR', characters],
  ['CHR', characters],
  ['NCHAR', characters],
  ['UNISTR', ([text = '']) => fromBytes(unescaped(Buffer.from(text).toString('latin1'), 'unicode'))],
  ['UNHEX', ([digits]) => digits],
]);

const fromBytes = (bytes: string): string => Buffer.from(bytes, 'latin1').toString();

/**
 * SQLite writes line breaks as `replace('a\nb','\n',char(10))`, with backslashes. Replacements that lengthen
 * the text are refused: SQLite never writes them, and nested calls could grow without limit.
 */
function replaced([text, from = '', to]: readonly string[]): string | undefined {
  if (text === undefined || from === '' || to === undefined || to.length > from.length) return undefined;
  return text.replaceAll(from, () => to);
}

function characters(codes: readonly string[]): string | undefined {
  const isCode = (code: string) => /^\d{1,7}$/.test(code) && Number(code) <= 0x10ffff;
  return codes.every(isCode) ? String.fromCodePoint(...codes.map(Number)).toWellFormed() : undefined;
}

const TYPE_MAX = 256;

/** Returns the index of the comma or parenthesis after the name of a type, or MORE or INVALID. */
function typeEnd(text: string, from: number): number {
  let depth = 0;
  for (let pos = from; pos < from + TYPE_MAX; pos++) {
    if (pos >= text.length) return MORE;
    const sign = text.charAt(pos);
    if (sign === '(') depth++;
    else if (sign === ')' && depth-- === 0) return pos;
    else if (sign === ',' && depth === 0) return pos;
    else if (sign === "'" || sign === ';') return INVALID;
  }
  return INVALID;
}

const DAY_MS = 86_400_000;
/** Dates from which SQL Server counts the days of a time. */
const EPOCH_1900 = Date.UTC(1900, 0, 1);
const EPOCH_0001 = new Date('0001-01-01T00:00:00Z').getTime();

/**
 * Decodes a time that SQL Server Management Studio up to 2012 wrote as `CAST(0x… AS DateTime)`: the stored
 * bytes (MS-TDS, 2.2.5.5.1.8).
 * @returns ISO text in UTC, or undefined if the bytes do not have this type
 */
export function mssqlTime(type: string, bytes: Buffer): string | undefined {
  const ms = TIMES.get(type.toLowerCase())?.(bytes);
  return ms === undefined || !(Math.abs(ms) <= 8.64e15) ? undefined : new Date(ms).toISOString();
}

const TIMES: ReadonlyMap<string, (bytes: Buffer) => number | undefined> = new Map([
  /** Days since 1900, then the time of day in units of 1/300 s. Each has four bytes, big-endian. */
  [
    'datetime',
    (bytes) =>
      bytes.length === 8
        ? EPOCH_1900 + bytes.readInt32BE(0) * DAY_MS + Math.round((bytes.readUInt32BE(4) * 10) / 3)
        : undefined,
  ],
  /** Days since 1900, then the minutes since midnight. Each has two bytes, big-endian. */
  [
    'smalldatetime',
    (bytes) =>
      bytes.length === 4
        ? EPOCH_1900 + bytes.readUInt16BE(0) * DAY_MS + bytes.readUInt16BE(2) * 60_000
        : undefined,
  ],
  ['date', (bytes) => (bytes.length === 3 ? EPOCH_0001 + bytes.readUIntLE(0, 3) * DAY_MS : undefined)],
  ['datetime2', (bytes) => scaledTime(bytes, 0)],
  /** A datetime2 in UTC, followed by the offset in minutes. */
  ['datetimeoffset', (bytes) => scaledTime(bytes, 2)],
]);

/**
 * Decodes SQL Server's `datetime2`: the scale (0 to 7 digits), then the fractions of a second since midnight
 * in 3 to 5 bytes, then the days since 0001 in 3 bytes. Little-endian.
 */
function scaledTime(bytes: Buffer, tail: number): number | undefined {
  const scale = bytes[0] ?? 8;
  const timeBytes = scale <= 2 ? 3 : scale <= 4 ? 4 : 5;
  if (scale > 7 || bytes.length !== 1 + timeBytes + 3 + tail) return undefined;
  const ms = Math.trunc((bytes.readUIntLE(1, timeBytes) * 1000) / 10 ** scale);
  return EPOCH_0001 + bytes.readUIntLE(1 + timeBytes, 3) * DAY_MS + ms;
}
