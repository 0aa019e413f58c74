import { isUtf8 } from 'node:buffer';
import { type Cell, type ColumnKind, MORE } from './cell.ts';
import type { Escapes } from './escapes.ts';
import { textOfBytes } from './text-of-bytes.ts';
import { unescapeBytes } from './unescape.ts';
import {
  backslashFrom,
  checkEscape,
  hasWide,
  notUtf8,
  textBetween,
  unsureBackslash,
  type Window,
} from './window.ts';

/**
 * Reads a quoted text of an SQL dump, from its opening quote.
 * @returns the index after the text, or MORE
 * @throws FileProblem ENCODING_INVALID if a text is not UTF-8 and its column cannot hold bytes;
 * FILE_INVALID for a backslash if `isUnsure`
 */
export function quotedAt(
  window: Window,
  pos: number,
  quote: string,
  escapes: Escapes,
  kind: ColumnKind,
  cell: Cell,
  isUnsure = false,
): number {
  const { text } = window;
  const start = pos + 1;
  const hasBackslashes = escapes.signs !== undefined;
  const holdsBytes = kind !== undefined && kind !== 'text' && kind !== 'unknown';
  let isPlain = true;
  let end = -1;
  for (let at = start; ; ) {
    if (end < at) end = text.indexOf(quote, at);
    // The next character, which is not in memory yet, shows whether the quote of the SQL text is doubled.
    if (end === -1 || end + 1 >= text.length) return MORE;
    if (hasBackslashes && backslashFrom(window, at) < end) {
      if (isUnsure) throw unsureBackslash(window, window.backslash);
      if (!holdsBytes) checkEscape(window, window.backslash);
      at = window.backslash + 2;
      isPlain = false;
    } else if (text[end + 1] === quote) {
      at = end + 2;
      isPlain = false;
    } else {
      break;
    }
  }
  if (isPlain && !holdsBytes && kind !== 'unknown') {
    cell.value = textBetween(window, start, end);
    return end + 1;
  }
  const bytes = isPlain
    ? window.bytes.subarray(start, end)
    : unescapeBytes(window.bytes, start, end, escapes);
  if (holdsBytes) {
    cell.value = textOfBytes(bytes, kind);
    cell.bytes = bytes;
  } else {
    cell.value = utf8Text(window, start, end, bytes, escapes, kind);
  }
  return end + 1;
}

function utf8Text(
  window: Window,
  start: number,
  end: number,
  bytes: Buffer,
  escapes: Escapes,
  kind: ColumnKind,
): string {
  // Escapes of SQL can express bytes that do not occur in the dump itself, so the unescaped text is checked.
  const isWide = hasWide(window, start, end);
  if (!isWide && !escapes.hasByteCodes && escapes.codePoints.length === 0) return bytes.toString('latin1');
  if (isWide && kind !== 'unknown' && window.foreignCharset !== undefined) throw notUtf8(window, start);
  if (!isUtf8(bytes)) {
    if (kind === 'unknown') return bytes.toString('hex');
    throw notUtf8(window, start);
  }
  return bytes.toString();
}
