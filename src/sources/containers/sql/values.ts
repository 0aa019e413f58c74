import { isUtf8 } from 'node:buffer';
import { type ColumnKind, textOfBytes, unescaped } from './bytes.ts';
import { saysUtf8 } from './dialects.ts';
import { INVALID, MORE, type Script } from './script.ts';
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

/** Maximum number of values of a row. No database permits more: SQLite at most 32,767, by default 2,000. */
const VALUES_MAX = 32_767;
const NESTING_MAX = 8;
const ARGUMENTS_MAX = 16;

const HEX = /0[xX][0-9A-Fa-f]*(?!\w)/y;
const BITS = /0[bB][01]{1,400}(?!\w)/y;
const NUMBER = /[-+]?(?:\d{1,400}\.?\d{0,400}|\.\d{1,400})(?:[eE][-+]?\d{1,9})?(?![\w.])/y;
/** Prefixes of a text: N'…', E'…', X'…', B'…', U&'…', DATE '…', or a character set of MySQL: _utf8mb4 '…'. */
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
  /** Bytes of the current value, if the dump has it in binary form. */
  #bytes: Buffer | undefined;
  #isWanted = true;
  readonly #script: Script;

  constructor(script: Script) {
    this.#script = script;
  }

  /**
   * Reads a row from its opening parenthesis.
   * @param columns undefined if they are not known yet
   * @param isWanted false if only the end of the row is needed
   * @returns the index after the closing parenthesis
   * @throws MORE; INVALID; FileProblem ENCODING_INVALID
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
      script.look(pos);
      const kind = columns?.[values.length]?.kind ?? otherKind;
      const quick = this.#quickAt(pos, kind);
      pos = quick < 0 ? this.#valueAt(pos, kind, 0) : quick;
      values.push(this.#value);
      if (isSpaceOrComment(text.charCodeAt(pos))) pos = skipSpace(script, pos);
      if (text.charCodeAt(pos) === COLON) pos = typeEnd(text, pos);
      const sign = text.charCodeAt(pos++);
      if (sign === CLOSE) return pos;
      if (pos > text.length) throw MORE;
      if (sign !== COMMA || values.length >= VALUES_MAX) throw INVALID;
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
      // A doubled quote does not end the text, so the next character must be in memory.
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

  /** Reads any value of a row. Returns the index after it. */
  #valueAt(pos: number, kind: ColumnKind, nesting: number): number {
    const script = this.#script;
    const { text, session } = script;
    this.#bytes = undefined;
    const sign = text.charAt(pos);
    if (sign === "'" || (sign === '"' && session.dialect.hasDoubleQuotedTexts && !session.hasAnsiQuotes))
      return this.#quotedAt(pos, kind);
    if (nesting >= NESTING_MAX) throw INVALID;
    const prefix = script.matches(PREFIX, pos);
    if (prefix !== undefined)
      return this.#prefixedAt(pos + prefix.length, prefix.toUpperCase(), kind, nesting);
    const number = script.matches(HEX, pos) ?? script.matches(BITS, pos) ?? script.matches(NUMBER, pos);
    if (number !== undefined) return this.#numberAt(pos, number, kind);
    const name = script.matches(WORD, pos)?.toUpperCase() ?? '';
    const end = skipSpace(script, pos + name.length);
    if (text[end] === '(') return this.#callAt(end + 1, name, kind, nesting + 1);
    if (!CONSTANTS.has(name)) throw INVALID;
    this.#value = CONSTANTS.get(name);
    return end;
  }

  #numberAt(pos: number, number: string, kind: ColumnKind): number {
    const end = pos + number.length;
    // The number may continue in the rest of the dump.
    if (end === this.#script.text.length) throw MORE;
    if (/^0x/i.test(number)) this.#putHex(number.slice(2), kind);
    else this.#value = number.replace(/^0[bB]/, '');
    return end;
  }

  #prefixedAt(pos: number, prefix: string, kind: ColumnKind, nesting: number): number {
    const { dialect } = this.#script.session;
    // Whatever character set the prefix names, the bytes in the dump are UTF-8, except after `_binary`.
    if (prefix.startsWith('_')) {
      const isBinary = prefix.trim() === '_BINARY' && kind !== 'bits' && kind !== 'uuid';
      return this.#valueAt(pos, isBinary ? 'bytes' : kind, nesting + 1);
    }
    if ((prefix === 'E' || prefix === 'U&') && !dialect.hasPostgresTexts) throw INVALID;
    const after = this.#quotedAt(pos, prefix === 'X' || prefix === 'B' ? 'text' : kind);
    if (prefix === 'X') this.#putHex(this.#value ?? '', kind);
    return after;
  }

  /**
   * Reads a quoted text, from its opening quote.
   * @throws FileProblem ENCODING_INVALID if a text is not UTF-8 and its column cannot hold bytes, or if a backslash
   * may or may not be an escape
   */
  #quotedAt(pos: number, kind: ColumnKind): number {
    const script = this.#script;
    const quoted = spanAt(script, pos);
    if (quoted === undefined) throw INVALID;
    const isOfBytes = kind === 'bits' || kind === 'bytes' || kind === 'uuid';
    const after = spanEnd(script, isOfBytes ? { ...quoted, holdsBytes: true } : quoted, pos + 1);
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

  #putHex(digits: string, kind: ColumnKind): void {
    if (digits.length % 2 !== 0 || !/^[0-9A-Fa-f]*$/.test(digits)) throw INVALID;
    this.#putBytes(Buffer.from(digits, 'hex'), kind);
  }

  /** Evaluates a function call, from after its opening parenthesis. Returns the index after the call. */
  #callAt(pos: number, name: string, kind: ColumnKind, nesting: number): number {
    if (/^(?:TRY_)?(?:CAST|CONVERT)$/.test(name)) return this.#castAt(pos, name, kind, nesting);
    const combine = FUNCTIONS.get(name);
    const texts: (string | null)[] = [];
    for (let at = pos; combine !== undefined && texts.length < ARGUMENTS_MAX; at++) {
      at = this.#argumentAt(at, kind, nesting);
      if (this.#value === undefined) throw INVALID;
      texts.push(this.#value);
      const sign = this.#script.text[at];
      if (sign === ',') continue;
      if (sign !== ')') throw INVALID;
      const known = texts.filter((text) => text !== null);
      // If any argument is NULL, the result is NULL.
      this.#value = known.length < texts.length ? null : combine(known);
      if (this.#value === undefined) throw INVALID;
      if (name === 'UNHEX' && this.#value !== null) this.#putHex(this.#value, kind);
      return at + 1;
    }
    throw INVALID;
  }

  /** Reads an argument of a function, and the white space around it. */
  #argumentAt(from: number, kind: ColumnKind, nesting: number): number {
    return skipSpace(this.#script, this.#valueAt(skipSpace(this.#script, from), kind, nesting));
  }

  /**
   * Reads `CAST('…' AS type)`. MySQL: `CONVERT('…' USING utf8mb4)`, `CONVERT('…', CHAR)`. SQL Server:
   * `CONVERT(datetime, N'…', 120)`.
   */
  #castAt(pos: number, name: string, kind: ColumnKind, nesting: number): number {
    const script = this.#script;
    const { text, session } = script;
    const isOfServer = session.dialect.name === 'mssql';
    if (isOfServer && name.endsWith('CONVERT')) {
      const comma = typeEnd(text, pos);
      const after = this.#argumentAt(comma + 1, kind, nesting);
      this.#decodeTime(text.slice(pos, comma));
      const close = text[after] === ',' ? typeEnd(text, after + 1) : after;
      if (text[comma] !== ',' || text[close] !== ')') throw INVALID;
      return close + 1;
    }
    const after = this.#argumentAt(pos, kind, nesting);
    const lead = script.matches(/,|(?:AS|USING)\s/iy, after);
    if (lead === undefined) throw INVALID;
    const type = after + lead.length;
    const end = typeEnd(text, type);
    if (text[end] !== ')') throw INVALID;
    if (isOfServer) this.#decodeTime(text.slice(type, end));
    return end + 1;
  }

  /** Decodes `CAST(0x… AS DateTime)` of SQL Server Management Studio up to 2012. */
  #decodeTime(type: string): void {
    if (this.#bytes !== undefined)
      this.#value = mssqlTime(/\w+/.exec(type)?.[0] ?? '', this.#bytes) ?? this.#value;
  }
}

const isSpaceOrComment = (code: number) => code <= SPACE || code === MINUS || code === 0x2f || code === 0x23;

function textOrHex(raw: string): string {
  const bytes = Buffer.from(raw, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : bytes.toString('hex');
}

/** Functions that dumps call. They return undefined for arguments that dumps do not have. */
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

/** Returns the index of the comma or parenthesis after the name of a type. @throws MORE; INVALID */
function typeEnd(text: string, from: number): number {
  let depth = 0;
  for (let pos = from; pos < from + TYPE_MAX; pos++) {
    if (pos >= text.length) throw MORE;
    const sign = text.charAt(pos);
    if (sign === '(') depth++;
    else if (sign === ')' && depth-- === 0) return pos;
    else if (sign === ',' && depth === 0) return pos;
    else if (sign === "'" || sign === ';') break;
  }
  throw INVALID;
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
function mssqlTime(type: string, bytes: Buffer): string | undefined {
  const name = type.toLowerCase();
  const decode = TIMES.get(`${name} ${bytes.length}`) ?? TIMES.get(name);
  const ms = decode?.(bytes);
  return ms === undefined || !(Math.abs(ms) <= 8.64e15) ? undefined : new Date(ms).toISOString();
}

/** Decoders of types of times to ms since 1970. A number behind a type is its number of bytes, if that is fixed. */
const TIMES: ReadonlyMap<string, (bytes: Buffer) => number | undefined> = new Map([
  /** Days since 1900, then the time of day in units of 1/300 s. Each has four bytes, big-endian. */
  ['datetime 8', (b) => EPOCH_1900 + b.readInt32BE(0) * DAY_MS + Math.round((b.readUInt32BE(4) * 10) / 3)],
  /** Days since 1900, then the minutes since midnight. Each has two bytes, big-endian. */
  ['smalldatetime 4', (b) => EPOCH_1900 + b.readUInt16BE(0) * DAY_MS + b.readUInt16BE(2) * 60_000],
  ['date 3', (b) => EPOCH_0001 + b.readUIntLE(0, 3) * DAY_MS],
  ['datetime2', (b) => scaledTime(b, 0)],
  /** A datetime2 in UTC, followed by the offset in minutes. */
  ['datetimeoffset', (b) => scaledTime(b, 2)],
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
