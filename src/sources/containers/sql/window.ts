import { isUtf8 } from 'node:buffer';
import { FileProblem } from '../table.ts';

/**
 * The part of a file that is being read, and how far it has been read. Its text has one character a byte: every sign of SQL is
 * ASCII, so that indexes count bytes and quotes are found at the speed of memchr, whatever the values hold.
 */
export interface Window {
  readonly bytes: Buffer;
  readonly text: string;
  /** Where in the file the first byte stands. */
  readonly offset: number;
  /** Does the file end with this window? */
  readonly isEnd: boolean;
  /** Line breaks before the first byte. Undefined: they were not counted. */
  readonly lines: number | undefined;
  /** The encoding that the dump says its text is in, where it is not UTF-8 and the operator has not decided. */
  foreignCharset: string | undefined;
  /** Whether the text may be in an encoding in which the second byte of a character may be a backslash. */
  mayEmbedBackslashes: boolean;
  /** What stands before it has been read. */
  pos: number;
  /** The first at or after the last place that was asked for; endless where there is none. */
  backslash: number;
  tab: number;
  wide: number;
  /** Undefined: not looked at yet. */
  isUtf8: boolean | undefined;
}

/** A row may be as long: a bound on memory. */
export const ROW_MAX_BYTES = 16 * 1024 * 1024;

/** So much of what has been read stays in the window: some signs mean another thing after others. */
export const LOOKBEHIND = 16;

/** As much must stand in the window before a mark is recognised, that it cannot be half of one. */
export const LOOKAHEAD = 128;

export function openWindow(
  bytes: Buffer,
  pos: number,
  offset: number,
  isEnd: boolean,
  lines: number | undefined,
): Window {
  const text = bytes.toString('latin1');
  return {
    bytes,
    text,
    offset,
    isEnd,
    lines,
    foreignCharset: undefined,
    mayEmbedBackslashes: false,
    pos,
    backslash: -1,
    tab: -1,
    wide: -1,
    isUtf8: undefined,
  };
}

/** For messages: `line 12`, or `byte 345` where lines were not counted. */
export function placeOf({ lines, offset, bytes }: Window, pos: number): string {
  return lines === undefined
    ? `byte ${offset + pos}`
    : `line ${lines + 1 + lineBreaksIn(bytes.subarray(0, pos))}`;
}

export function lineBreaksIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) count++;
  return count;
}

/** Texts with backslashes mean one thing to MySQL and another to most others. */
export const unsureBackslash = (window: Window, pos: number): FileProblem =>
  new FileProblem(
    'FILE_INVALID',
    `The text at ${placeOf(window, pos)} has a backslash, and nothing before it says whether backslashes escape. ` +
      `Say which system wrote the dump: --sql-dialect postgres, mysql, mysql-no-backslash, sqlite or mssql.`,
  );

/** The end of what stands here is not certain, so that nothing after it may be read. */
export const unreadable = (window: Window, pos: number, what: string): FileProblem =>
  new FileProblem(
    'FILE_INVALID',
    `${what} at ${placeOf(window, pos)} cannot be read, and it is not certain where it ends. Nothing after it is read. ` +
      'Mend or remove it; if the dump is from another system than it seems, say so: --sql-dialect.',
  );

/** Is what stands there longer than anything may be? */
export const isTooLong = (window: Window): boolean => window.text.length - window.pos > ROW_MAX_BYTES;

/** Goes back: to what was asked for further on, another answer may be due. */
export function rewind(window: Window, pos: number): void {
  window.pos = pos;
  window.backslash = -1;
  window.tab = -1;
  window.wide = -1;
}

/** The first backslash at `pos` or after it. Asked in rising order, all answers together cost one pass. */
export function backslashFrom(window: Window, pos: number): number {
  if (window.backslash < pos) {
    const found = window.text.indexOf('\\', pos);
    window.backslash = found === -1 ? Number.POSITIVE_INFINITY : found;
  }
  return window.backslash;
}

/** The first tab, likewise. */
export function tabFrom(window: Window, pos: number): number {
  if (window.tab < pos) {
    const found = window.text.indexOf('\t', pos);
    window.tab = found === -1 ? Number.POSITIVE_INFINITY : found;
  }
  return window.tab;
}

const WIDE = /[\x80-\xff]/g;

function wideFrom(window: Window, pos: number): number {
  if (window.wide < pos) {
    WIDE.lastIndex = pos;
    window.wide = WIDE.exec(window.text)?.index ?? Number.POSITIVE_INFINITY;
  }
  return window.wide;
}

/** Is there anything but ASCII? Asked in rising order. */
export const hasWide = (window: Window, start: number, end: number): boolean => wideFrom(window, start) < end;

/** @throws FileProblem ENCODING_INVALID */
export function textBetween(window: Window, start: number, end: number): string {
  if (!hasWide(window, start, end)) return window.text.substring(start, end);
  if (window.foreignCharset !== undefined) throw notUtf8(window, start);
  window.isUtf8 ??= isUtf8(wholeCharacters(window.bytes));
  if (!window.isUtf8 && !isUtf8(window.bytes.subarray(start, end))) throw notUtf8(window, start);
  return window.bytes.toString('utf8', start, end);
}

export const notUtf8 = (window: Window, pos: number): FileProblem =>
  new FileProblem(
    'ENCODING_INVALID',
    window.foreignCharset === undefined
      ? `The text at byte ${window.offset + pos} is not valid UTF-8. If the file is in another encoding, say so: --encoding latin1.`
      : `The text at byte ${window.offset + pos} is not ASCII, and the dump is in ${window.foreignCharset}. ` +
          'Say so: --encoding latin1, or --encoding utf-8 if its bytes are UTF-8 nevertheless.',
  );

/**
 * Looks at a backslash that escapes if the text is UTF-8.
 * @throws FileProblem ENCODING_INVALID: it may be the second byte of a character of GBK, Big5 or Shift_JIS
 */
export function checkEscape(window: Window, backslash: number): void {
  if (!window.mayEmbedBackslashes) return;
  const before = window.bytes[backslash - 1] ?? 0;
  if (before < 0x81 || before === 0xff) return;
  // A character of UTF-8 has at most four bytes.
  for (let start = backslash - 1; start >= Math.max(0, backslash - 4); start--) {
    if (!isContinuation(window.bytes[start]) && isUtf8(window.bytes.subarray(start, backslash))) return;
  }
  throw new FileProblem(
    'ENCODING_INVALID',
    `The text at ${placeOf(window, backslash - 1)} is not valid UTF-8, and the dump does not say what it is in. ` +
      'Say so: --encoding gbk, shift_jis or latin1; or, if it holds bytes, dump it with --hex-blob.',
  );
}

const isContinuation = (byte: number | undefined) => byte !== undefined && byte >= 0x80 && byte < 0xc0;

/** Without what is left of characters that were cut at either end. */
function wholeCharacters(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start++;
  let end = bytes.length;
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    const length = byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    if (length > back) end = bytes.length - back;
    break;
  }
  return bytes.subarray(start, Math.max(start, end));
}
