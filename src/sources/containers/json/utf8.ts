import { isUtf8 } from 'node:buffer';

/** Ignores an incomplete last character. Checking a whole block costs as little as checking a few records. */
export function holdsUtf8(bytes: Buffer, from: number, to: number): boolean {
  let start = to - 1;
  while (start > from && to - start < MAX_CHARACTER_BYTES && isContinuation(bytes[start])) start -= 1;
  const whole = (bytes[start] ?? 0) >= 0xc0 ? start : to;
  return isUtf8(bytes.subarray(from, whole));
}

const MAX_CHARACTER_BYTES = 4;
const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;
