import { isUtf8 } from 'node:buffer';
import { incompleteTail } from '../utf8.ts';
import { type Decoder, invalidEncoding } from './decoder.ts';

const NOTHING: Buffer = Buffer.alloc(0);

/**
 * Checks UTF-8 and drops the byte order mark. Bytes are copied only around a character cut by the end of a
 * chunk.
 * @param isChecked false to pass invalid UTF-8 through, for readers that know where other bytes are allowed
 */
export function createUtf8Decoder(isChecked: boolean): Decoder {
  let held: Buffer = NOTHING;
  /** Offset in the file of the first byte that is not returned yet. */
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

/** Binary search. There must be a byte that is not valid UTF-8. */
function firstInvalid(bytes: Buffer): number {
  /** Length of a prefix of `bytes` known to be valid UTF-8, apart from an incomplete character at its end. */
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
