import { isUtf8 } from 'node:buffer';
import type { Cell, ColumnKind } from './cell.ts';

/** Control characters that never occur in text. */
const CONTROL = /[^\P{Cc}\t\n\r]/u;

/**
 * Converts the bytes of an SQL value to text: as UTF-8 if they are printable, otherwise in lower-case hex. A
 * `binary(16)` of sixteen bytes is always hex, because some UUIDs are valid text. A `bit(n)` is a number.
 */
export function textOfBytes(bytes: Buffer, kind: ColumnKind): string {
  if (kind === 'bits' && bytes.length > 0 && bytes.length <= 8) {
    return BigInt(`0x${bytes.toString('hex')}`).toString();
  }
  if (kind === 'uuid' && bytes.length === 16) return bytes.toString('hex');
  if (!isUtf8(bytes)) return bytes.toString('hex');
  const text = bytes.toString();
  return CONTROL.test(text) ? bytes.toString('hex') : text;
}

/** Stores bytes that are written in hex, and returns their text. Returns undefined if the digits are not hex. */
export function putHex(digits: string, kind: ColumnKind, cell: Cell): string | undefined {
  if (digits.length % 2 !== 0 || !/^[0-9A-Fa-f]*$/.test(digits)) return undefined;
  cell.bytes = Buffer.from(digits, 'hex');
  cell.value = textOfBytes(cell.bytes, kind);
  return cell.value;
}
