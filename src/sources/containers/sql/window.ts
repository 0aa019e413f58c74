import { isUtf8 } from 'node:buffer';
import { MAX_RECORD_BYTES } from '../held-records.ts';
import { FileProblem } from '../table.ts';

/**
 * The part of an SQL dump in memory, and the position of the reader in it. Its text has one character per
 * byte. All signs of SQL are ASCII, so indexes count bytes, and quotes are found at the speed of memchr.
 */
export interface Window {
  readonly bytes: Buffer;
  readonly text: string;
  /** Offset in the SQL file of the first byte that is in memory. */
  readonly offset: number;
  /** Whether the bytes in memory are the last of the SQL file. */
  readonly isEnd: boolean;
  /** Number of line breaks in the SQL file before the bytes in memory. Undefined if they are not counted. */
  readonly lines: number | undefined;
  /** Encoding that the SQL dump declares, if it is not UTF-8 and the operator named none. */
  foreignCharset: string | undefined;
  /** Whether the SQL dump may have an encoding in which a backslash can be the second byte of a character. */
  mayEmbedBackslashes: boolean;
  /** Index in `text` up to which the SQL dump has been read. */
  pos: number;
  /** Cached index of the next backslash in `text`, from the last search. Infinite if no backslash follows. */
  backslash: number;
  tab: number;
  wide: number;
  /** Whether the bytes of the SQL dump in memory are valid UTF-8. Undefined until they are checked. */
  isUtf8: boolean | undefined;
}

/**
 * Number of bytes of an SQL dump that stay in memory after they are read, because the meaning of some signs
 * depends on the text before.
 */
export const LOOKBEHIND = 16;

/**
 * Number of bytes of an SQL dump that must follow in memory before the start of a statement or comment is
 * recognised, or a value counts as invalid. With fewer bytes, it could be cut by the end of the text in
 * memory.
 */
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

/**
 * Returns the problem of a backslash in an SQL text whose meaning is unknown. It is an escape in MySQL, and
 * text in most other systems.
 */
export const unsureBackslash = (window: Window, pos: number): FileProblem =>
  new FileProblem(
    'FILE_INVALID',
    `The text at ${placeOf(window, pos)} has a backslash, and nothing before it shows whether backslashes are escapes. ` +
      `Name the system that wrote the dump: --sql-dialect postgres, mysql, mysql-no-backslash, sqlite or mssql.`,
  );

/**
 * Returns the problem of an SQL value or statement whose end is uncertain. The dump is not read beyond it.
 */
export const unreadable = (window: Window, pos: number, what: string): FileProblem =>
  new FileProblem(
    'FILE_INVALID',
    `${what} at ${placeOf(window, pos)} cannot be read, and its end is uncertain. Nothing after it is read. ` +
      'Correct or remove it. If the dump is from another system than it seems, name the system: --sql-dialect.',
  );

/**
 * Returns whether more unread text of the SQL dump is in memory than the longest permitted row has. If the
 * end of a row, or of the text between two rows, is not in memory then, it is too long to be read.
 */
export const isTooLong = (window: Window): boolean => window.text.length - window.pos > MAX_RECORD_BYTES;

/**
 * Moves the reader of the SQL dump back, and clears its caches, which are valid only for forward searches.
 */
export function rewind(window: Window, pos: number): void {
  window.pos = pos;
  window.backslash = -1;
  window.tab = -1;
  window.wide = -1;
}

/**
 * Returns the index of the next backslash in the SQL text, at or after `pos`. Queries in ascending order cost
 * one pass in total.
 */
export function backslashFrom(window: Window, pos: number): number {
  if (window.backslash < pos) {
    const found = window.text.indexOf('\\', pos);
    window.backslash = found === -1 ? Number.POSITIVE_INFINITY : found;
  }
  return window.backslash;
}

/**
 * Returns the index of the next tab in the SQL text, at or after `pos`. Queries in ascending order cost one
 * pass in total.
 */
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

/**
 * Returns whether a part of the SQL text has non-ASCII characters. Must be called for the parts in ascending
 * order, because only the next such character is remembered.
 */
export const hasWide = (window: Window, start: number, end: number): boolean => wideFrom(window, start) < end;

/**
 * Returns the part of the SQL dump between two indexes, decoded as UTF-8.
 * @throws FileProblem ENCODING_INVALID if the text is in another encoding
 */
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

/**
 * Checks a backslash of an SQL dump that is an escape if the text is UTF-8.
 * @throws FileProblem ENCODING_INVALID if it may be the second byte of a character of GBK, Big5 or Shift_JIS
 */
export function checkEscape(window: Window, backslash: number): void {
  if (!window.mayEmbedBackslashes) return;
  const before = window.bytes[backslash - 1] ?? 0;
  if (before < 0x81 || before === 0xff) return;
  // A character of UTF-8 has at most four bytes. So if the bytes before the backslash end with a character of
  // UTF-8, it starts at most four bytes before the backslash.
  for (let start = backslash - 1; start >= Math.max(0, backslash - 4); start--) {
    if (!isContinuation(window.bytes[start]) && isUtf8(window.bytes.subarray(start, backslash))) return;
  }
  throw new FileProblem(
    'ENCODING_INVALID',
    `The text at ${placeOf(window, backslash - 1)} is not valid UTF-8, and the dump does not name its encoding. ` +
      'Name it: --encoding gbk, shift_jis or latin1; or, if the text holds bytes, dump it with --hex-blob.',
  );
}

const isContinuation = (byte: number | undefined) => byte !== undefined && byte >= 0x80 && byte < 0xc0;

/** Removes the incomplete characters that were cut at the start or end of the bytes in memory. */
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
