import { type ByteWindow, offsetOf, tryFill } from './byte-window.ts';
import { wrongBracket } from './json-problems.ts';
import { readValue } from './read-value.ts';
import { type Scan, scanValue, startScan } from './scan-value.ts';
import { skipValue } from './skip-value.ts';

/** A JSON value, which is parsed only if it is small. A larger value is skipped, to save memory. */
export interface Small {
  /** The parsed JSON value. Undefined if its text is too long or not valid JSON. */
  value: unknown;
  sizeBytes: number;
}

/**
 * Reads the JSON value at `window.at`, or skips it if it is larger than `maxBytes`.
 * @throws FileProblem if the value does not end
 */
export async function readSmall(window: ByteWindow, scan: Scan, maxBytes: number): Promise<Small> {
  const small = await peekSmall(window, scan, maxBytes);
  const beganAt = offsetOf(window);
  window.at += small.sizeBytes;
  if (scan.isBroken) throw wrongBracket('a value', beganAt, offsetOf(window) - 1);
  if (!scan.isDone) await skipValue(window, scan, 'a value', beganAt);
  return small;
}

/**
 * Reads the JSON value at `window.at` without consuming it. The value is undefined if it is larger than
 * `maxBytes`, not valid, or has no end.
 * @returns the value, and how many of its bytes were looked at
 */
export async function peekSmall(window: ByteWindow, scan: Scan, maxBytes: number): Promise<Small> {
  startScan(scan);
  let sizeBytes = 0;
  while (true) {
    const stop = scanValue(scan, window.bytes, window.at + sizeBytes, window.end);
    sizeBytes = stop - window.at;
    if (scan.isBroken || sizeBytes > maxBytes) return { value: undefined, sizeBytes };
    if (scan.isDone)
      return { value: readValue(window.bytes.toString('utf8', window.at, stop), scan.marks), sizeBytes };
    if (!(await tryFill(window))) return { value: undefined, sizeBytes };
  }
}
