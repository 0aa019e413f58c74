import { isUtf8 } from 'node:buffer';
import { MAX_RECORD_BYTES } from '../held-records.ts';
import { FileProblem } from '../table.ts';
import { incompleteTail, isContinuation } from '../utf8.ts';

/**
 * The part of an SQL dump in memory, and the position of the reader in it. Its text has one character per
 * byte. All signs of SQL are ASCII, so indexes count bytes, and quotes are found at the speed of memchr.
 */
export interface Window {
  readonly bytes: Buffer;
  readonly text: string;
  /** Offset of the first byte in the SQL file. */
  readonly offset: number;
  readonly isEnd: boolean;
  /** Number of line breaks in the SQL file before the window. Undefined if they are not counted. */
  readonly lines: number | undefined;
  /** Encoding that the SQL dump declares, if it is not UTF-8 and the operator named none. */
  foreignCharset: string | undefined;
  /** Whether the SQL dump may have an encoding in which a backslash can be the second byte of a character. */
  mayEmbedBackslashes: boolean;
  pos: number;
  /** Cached index of the next backslash. Infinite if no backslash follows. */
  backslash: number;
  tab: number;
  wide: number;
  /** Undefined until the bytes are checked. */
  isUtf8: boolean | undefined;
}

/**
 * Bytes that stay in memory after they are read: the meaning of some SQL signs depends on the text before.
 */
export const LOOKBEHIND = 16;

/** With fewer bytes after it in memory, the start of a statement or an invalid value may just be cut off. */
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

/** Formats a position in an SQL dump for messages: `line 12`, or `byte 345` if lines were not counted. */
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

/** A backslash in an SQL text is an escape in MySQL, and text in most other systems. */
export const unsureBackslash = (window: Window, pos: number): FileProblem =>
  new FileProblem(
    'FILE_INVALID',
    `The text at ${placeOf(window, pos)} has a backslash, and nothing before it shows whether backslashes are escapes. ` +
      `Name the system that wrote the dump: --sql-dialect postgres, mysql, mysql-no-backslash, sqlite or mssql.`,
  );

export const unreadable = (window: Window, pos: number, what: string): FileProblem =>
  new FileProblem(
    'FILE_INVALID',
    `${what} at ${placeOf(window, pos)} cannot be read, and its end is uncertain. Nothing after it is read. ` +
      'Correct or remove it. If the dump is from another system than it seems, name the system: --sql-dialect.',
  );

/** Returns whether the unread SQL text in memory is longer than the longest permitted row. */
export const isTooLong = (window: Window): boolean => window.text.length - window.pos > MAX_RECORD_BYTES;

/** Moves back in the SQL dump, and clears the caches, which are valid only for forward searches. */
export function rewind(window: Window, pos: number): void {
  window.pos = pos;
  window.backslash = -1;
  window.tab = -1;
  window.wide = -1;
}

/** Returns the index of the next backslash. Queries in ascending order cost one pass in total. */
export function backslashFrom(window: Window, pos: number): number {
  if (window.backslash < pos) {
    const found = window.text.indexOf('\\', pos);
    window.backslash = found === -1 ? Number.POSITIVE_INFINITY : found;
  }
  return window.backslash;
}

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

/** Must be called in ascending order, because only the next non-ASCII character is remembered. */
export const hasWide = (window: Window, start: number, end: number): boolean => wideFrom(window, start) < end;

/** @throws FileProblem ENCODING_INVALID if the SQL text is not UTF-8 */
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
      ? `The text at byte ${window.offset + pos} is not valid UTF-8. If the file is in another encoding, name it: --encoding latin1.`
      : `The text at byte ${window.offset + pos} is not ASCII, and the dump is in ${window.foreignCharset}. ` +
          'Name the encoding: --encoding latin1, or --encoding utf-8 if its bytes are UTF-8 nevertheless.',
  );

/** @throws FileProblem ENCODING_INVALID if a backslash may belong to a character of GBK, Big5 or Shift_JIS */
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
    `The text at ${placeOf(window, backslash - 1)} is not valid UTF-8, and the dump does not name its encoding. ` +
      'Name it: --encoding gbk, shift_jis or latin1; or, if the text holds bytes, dump it with --hex-blob.',
  );
}

function wholeCharacters(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start++;
  return bytes.subarray(start, Math.max(start, bytes.length - incompleteTail(bytes)));
}
