import { type Cell, type ColumnKind, ESCAPES, putHex, unescapeBytes } from './bytes.ts';
import type { Dialect } from './dialect.ts';
import { INVALID, type Input, MORE } from './input.ts';
import { skipSpace } from './tokens.ts';

/** A function call in place of a value, such as `CAST('…' AS int)`. */
interface Call {
  input: Input;
  dialect: Dialect;
  kind: ColumnKind;
  cell: Cell;
  /** Returns the index after the argument, MORE or INVALID. */
  read(pos: number, into: Cell): number;
}

/** Evaluates a function from after its name. Returns the index after the call, MORE or INVALID. */
export function callAt(call: Call, name: string, pos: number): number {
  if (!Object.hasOwn(READERS, name)) return INVALID;
  const open = afterSign(call, pos, '(');
  return open < 0 ? open : (READERS[name]?.(call, open) ?? INVALID);
}

const READERS: Readonly<Record<string, (call: Call, pos: number) => number>> = {
  CAST: castAt,
  TRY_CAST: castAt,
  CONVERT: convertAt,
  TRY_CONVERT: convertAt,
  REPLACE: (call, pos) => argumentsAt(call, pos, replaced),
  CHAR: (call, pos) => argumentsAt(call, pos, characters),
  CHR: (call, pos) => argumentsAt(call, pos, characters),
  NCHAR: (call, pos) => argumentsAt(call, pos, characters),
  UNISTR: (call, pos) => argumentsAt(call, pos, ([text]) => unistr(text)),
  UNHEX: (call, pos) =>
    argumentsAt(call, pos, ([digits]) =>
      digits !== undefined && putHex(digits, call.kind, call.cell) ? call.cell.value : undefined,
    ),
};

function afterSign({ input, dialect }: Call, pos: number, sign: string): number {
  const start = skipSpace(input, pos, dialect);
  if (start < 0 || start >= input.text.length) return MORE;
  return input.text[start] === sign ? start + 1 : INVALID;
}

function argumentAt(call: Call, pos: number, into: Cell): number {
  const start = skipSpace(call.input, pos, call.dialect);
  return start < 0 || start >= call.input.text.length ? MORE : call.read(start, into);
}

const ARGUMENTS_MAX = 16;

/** A function of which any argument is NULL returns NULL. */
function argumentsAt(
  call: Call,
  from: number,
  combine: (texts: readonly string[]) => string | null | undefined,
): number {
  const texts: (string | null)[] = [];
  for (let pos = from; texts.length < ARGUMENTS_MAX; ) {
    const argument: Cell = { value: undefined, bytes: undefined };
    const after = argumentAt(call, pos, argument);
    if (after < 0) return after;
    if (argument.value === undefined) return INVALID;
    texts.push(argument.value);
    pos = afterSign(call, after, ',');
    if (pos >= 0) continue;
    const end = pos === INVALID ? afterSign(call, after, ')') : pos;
    if (end < 0) return end;
    const known = texts.filter((text) => text !== null);
    call.cell.value = known.length < texts.length ? null : combine(known);
    return call.cell.value === undefined ? INVALID : end;
  }
  return INVALID;
}

/**
 * SQLite writes line breaks as `replace('a\nb','\n',char(10))`, with backslashes. Replacements that lengthen
 * the text are refused: SQLite never writes them, and nested calls could grow without limit.
 */
function replaced([text, from, to]: readonly string[]): string | undefined {
  if (text === undefined || from === undefined || to === undefined) return undefined;
  return from === '' || to.length > from.length ? undefined : text.replaceAll(from, () => to);
}

function characters(codes: readonly string[]): string | undefined {
  const isCode = (code: string) => /^\d{1,7}$/.test(code) && Number(code) <= 0x10ffff;
  return codes.every(isCode) ? String.fromCodePoint(...codes.map(Number)).toWellFormed() : undefined;
}

function unistr(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const bytes = Buffer.from(text);
  return unescapeBytes(bytes, 0, bytes.length, ESCAPES.unistr).toString();
}

function castAt(call: Call, pos: number): number {
  const after = argumentAt(call, pos, call.cell);
  return after < 0 ? after : withType(call, after, /^\s*AS\s+/i);
}

/** SQL Server: `CONVERT(datetime, N'…', 120)`. MySQL: `CONVERT('…' USING utf8mb4)`, `CONVERT('…', CHAR)`. */
function convertAt(call: Call, pos: number): number {
  const { text } = call.input;
  if (call.dialect.name !== 'mssql') {
    const after = argumentAt(call, pos, call.cell);
    return after < 0 ? after : withType(call, after, /^\s*(?:USING\s+|,)/i);
  }
  const comma = typeEnd(text, pos);
  if (comma < 0 || text[comma] !== ',') return comma < 0 ? comma : INVALID;
  const after = argumentAt(call, comma + 1, call.cell);
  if (after < 0) return after;
  putTime(call, text.slice(pos, comma));
  const style = typeEnd(text, after);
  const close = style >= 0 && text[style] === ',' ? typeEnd(text, style + 1) : style;
  if (close < 0) return close;
  return text[close] === ')' ? close + 1 : INVALID;
}

function withType(call: Call, pos: number, before: RegExp): number {
  const { text } = call.input;
  const lead = before.exec(text.slice(pos, pos + 64))?.[0];
  if (lead === undefined) return pos + 64 < text.length ? INVALID : MORE;
  const end = typeEnd(text, pos + lead.length);
  if (end < 0) return end;
  if (text[end] !== ')') return INVALID;
  putTime(call, text.slice(pos + lead.length, end));
  return end + 1;
}

/** Decodes `CAST(0x… AS DateTime)` of SQL Server Management Studio up to 2012. */
function putTime({ cell, dialect }: Call, type: string): void {
  if (dialect.name !== 'mssql' || cell.bytes === undefined) return;
  cell.value = mssqlTime(/\w+/.exec(type)?.[0] ?? '', cell.bytes) ?? cell.value;
}

const TYPE_MAX = 256;

/** Returns the index of the comma or parenthesis after the name of a type, or MORE or INVALID. */
export function typeEnd(text: string, from: number): number {
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
  const ms = TIMES[type.toLowerCase()]?.(bytes);
  return ms === undefined || !(Math.abs(ms) <= 8.64e15) ? undefined : new Date(ms).toISOString();
}

const TIMES: Readonly<Record<string, (bytes: Buffer) => number | undefined>> = {
  /** Days since 1900, then the time of day in units of 1/300 s. Each has four bytes, big-endian. */
  datetime: (bytes) =>
    bytes.length === 8
      ? EPOCH_1900 + bytes.readInt32BE(0) * DAY_MS + Math.round((bytes.readUInt32BE(4) * 10) / 3)
      : undefined,
  /** Days since 1900, then the minutes since midnight. Each has two bytes, big-endian. */
  smalldatetime: (bytes) =>
    bytes.length === 4
      ? EPOCH_1900 + bytes.readUInt16BE(0) * DAY_MS + bytes.readUInt16BE(2) * 60_000
      : undefined,
  date: (bytes) => (bytes.length === 3 ? EPOCH_0001 + bytes.readUIntLE(0, 3) * DAY_MS : undefined),
  datetime2: (bytes) => scaledTime(bytes, 0),
  /** A datetime2 in UTC, followed by the offset in minutes. */
  datetimeoffset: (bytes) => scaledTime(bytes, 2),
};

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
