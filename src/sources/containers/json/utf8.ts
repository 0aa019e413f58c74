import { isUtf8 } from 'node:buffer';

/** Are these bytes UTF-8, the last character aside, of which more may come? Checks a whole block for the price of a few records. */
export function holdsUtf8(bytes: Buffer, from: number, to: number): boolean {
  let start = to - 1;
  while (start > from && to - start < MAX_CHARACTER_BYTES && isContinuation(bytes[start])) start -= 1;
  const whole = (bytes[start] ?? 0) >= 0xc0 ? start : to;
  return isUtf8(bytes.subarray(from, whole));
}

const MAX_CHARACTER_BYTES = 4;
const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;
