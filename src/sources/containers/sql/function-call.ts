import { type Cell, type ColumnKind, INVALID, MORE, newCell } from './cell.ts';
import type { Dialect } from './dialect.ts';
import { type Escapes, JAVA, UNISTR } from './escapes.ts';
import { mssqlTime } from './mssql-time.ts';
import { putHex } from './text-of-bytes.ts';
import { skipSpace } from './tokens.ts';
import { unescapeBytes } from './unescape.ts';
import type { Window } from './window.ts';

/** A function call in place of a value in an SQL dump, such as `FROM_BASE64('…')`. */
interface Call {
  window: Window;
  dialect: Dialect;
  kind: ColumnKind;
  cell: Cell;
  /** Returns the index after the argument, MORE or INVALID. */
  read(pos: number, into: Cell): number;
}

/** Evaluates an SQL function from after its name. Returns the index after the call, MORE or INVALID. */
export function callAt(call: Call, name: string, pos: number): number {
  const read = READERS[name];
  if (read === undefined) return INVALID;
  const open = signAt(call, pos, '(');
  return open < 0 ? open : read(call, open);
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
  UNISTR: (call, pos) => argumentsAt(call, pos, ([text]) => unescaped(text, UNISTR)),
  STRINGDECODE: (call, pos) => argumentsAt(call, pos, ([text]) => unescaped(text, JAVA)),
  UNHEX: (call, pos) => argumentsAt(call, pos, unhex),
};

function signAt({ window, dialect }: Call, pos: number, sign: string): number {
  const start = skipSpace(window, pos, dialect);
  if (start < 0 || start >= window.text.length) return MORE;
  return window.text[start] === sign ? start + 1 : INVALID;
}

function argumentAt(call: Call, pos: number, into: Cell): number {
  const start = skipSpace(call.window, pos, call.dialect);
  if (start < 0 || start >= call.window.text.length) return MORE;
  return call.read(start, into);
}

const ARGUMENTS_MAX = 16;

/** An SQL function of which any argument is NULL returns NULL. */
function argumentsAt(
  call: Call,
  from: number,
  combine: (texts: readonly string[], call: Call) => string | undefined,
) {
  const { window, dialect, cell } = call;
  const texts: (string | null)[] = [];
  for (let pos = from; texts.length < ARGUMENTS_MAX; pos++) {
    const argument = newCell();
    const after = argumentAt(call, pos, argument);
    if (after < 0) return after;
    if (argument.value === undefined) return INVALID;
    texts.push(argument.value);
    pos = skipSpace(window, after, dialect);
    if (pos < 0 || pos >= window.text.length) return MORE;
    if (window.text[pos] === ',') continue;
    if (window.text[pos] !== ')') return INVALID;
    cell.value = texts.includes(null)
      ? null
      : combine(
          texts.filter((text) => text !== null),
          call,
        );
    return cell.value === undefined ? INVALID : pos + 1;
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

function unescaped(text: string | undefined, escapes: Escapes): string | undefined {
  if (text === undefined) return undefined;
  const bytes = Buffer.from(text);
  return unescapeBytes(bytes, 0, bytes.length, escapes).toString();
}

function unhex([digits]: readonly string[], { kind, cell }: Call): string | undefined {
  return digits === undefined ? undefined : putHex(digits, kind, cell);
}

function castAt(call: Call, pos: number): number {
  const after = argumentAt(call, pos, call.cell);
  return after < 0 ? after : withType(call, after, /^\s*AS\s+/i);
}

/** SQL Server: `CONVERT(datetime, N'…', 120)`. MySQL: `CONVERT('…' USING utf8mb4)`, `CONVERT('…', CHAR)`. */
function convertAt(call: Call, pos: number): number {
  if (call.dialect.name !== 'mssql') {
    const after = argumentAt(call, pos, call.cell);
    return after < 0 ? after : withType(call, after, /^\s*(?:USING\s+|,)/i);
  }
  const comma = typeEnd(call.window.text, pos);
  if (comma < 0 || call.window.text[comma] !== ',') return comma < 0 ? comma : INVALID;
  const after = argumentAt(call, comma + 1, call.cell);
  if (after < 0) return after;
  putTime(call, call.window.text.slice(pos, comma));
  const style = typeEnd(call.window.text, after);
  if (style < 0 || call.window.text[style] === ')') return style < 0 ? style : style + 1;
  const close = typeEnd(call.window.text, style + 1);
  if (close < 0) return close;
  return call.window.text[close] === ')' ? close + 1 : INVALID;
}

function withType(call: Call, pos: number, before: RegExp): number {
  const { text } = call.window;
  const lead = before.exec(text.slice(pos, pos + 64))?.[0];
  if (lead === undefined) return pos + 64 < text.length ? INVALID : MORE;
  const end = typeEnd(text, pos + lead.length);
  if (end < 0) return end;
  if (text[end] !== ')') return INVALID;
  putTime(call, text.slice(pos + lead.length, end));
  return end + 1;
}

function putTime({ cell, dialect }: Call, type: string): void {
  if (dialect.name !== 'mssql' || cell.bytes === undefined) return;
  cell.value = mssqlTime(/\w+/.exec(type)?.[0] ?? '', cell.bytes) ?? cell.value;
}

const TYPE_MAX = 256;

/** Returns the index of the comma or parenthesis after an SQL type name, or MORE or INVALID. */
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
