import { isUtf8 } from 'node:buffer';
import { type Decoder, invalidEncoding } from './decoder.ts';

const NOTHING: Buffer = Buffer.alloc(0);

/**
 * Checks UTF-8 and hands it on, without copying but where a character was cut. Drops the byte order mark.
 * @param isChecked `false`: what is not UTF-8 is handed on as well, for a reader who knows where it may be
 */
export function createUtf8Decoder(isChecked: boolean): Decoder {
  let held: Buffer = NOTHING;
  /** Of the first byte that is held. */
  let offset = 0;
  let isBegun = false;

  return {
    write(bytes) {
      const all = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      const whole = all.subarray(0, all.length - incompleteTail(all));
      if (isChecked && !isUtf8(whole)) throw invalidEncoding('UTF-8', offset + firstInvalid(whole));
      held = all.subarray(whole.length);
      offset += whole.length;
      if (isBegun || whole.length === 0) return whole;
      isBegun = true;
      return startsWithMark(whole) ? whole.subarray(3) : whole;
    },
    end() {
      if (isChecked && held.length > 0) throw invalidEncoding('UTF-8', offset);
      return held;
    },
  };
}

export const startsWithMark = (bytes: Buffer): boolean =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;

/** How many bytes at the end may be the beginning of a character that goes on. */
function incompleteTail(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return length > back ? back : 0;
  }
  return 0;
}

/** The offset of the first byte that is wrong, in bytes that are not valid. Found by halving. */
function firstInvalid(bytes: Buffer): number {
  /** So many bytes at the beginning are valid, but for a character that is cut. */
  let valid = 0;
  let invalid = bytes.length;
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1;
    const part = bytes.subarray(0, middle);
    if (isUtf8(part.subarray(0, middle - incompleteTail(part)))) valid = middle;
    else invalid = middle;
  }
  const part = bytes.subarray(0, valid);
  return valid - incompleteTail(part);
}
