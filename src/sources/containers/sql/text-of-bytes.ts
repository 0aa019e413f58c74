import { isUtf8 } from 'node:buffer';
import type { ColumnKind } from './cell.ts';

/** Control characters that no text has. */
const CONTROL = /[^\P{Cc}\t\n\r]/u;

/**
 * Bytes as text: what they say, where they say something in UTF-8, else lower-case hex. Sixteen bytes of a `binary(16)` are
 * always hex, as some UUIDs would pass for text. Those of a `bit(n)` are a number.
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
