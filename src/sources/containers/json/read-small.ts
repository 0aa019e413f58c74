import { type ByteWindow, fill, offsetOf } from './byte-window.ts';
import { truncated, wrongBracket } from './json-problems.ts';
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
  startScan(scan);
  let seen = 0;
  while (true) {
    const stop = scanValue(scan, window.bytes, window.at + seen, window.end);
    seen = stop - window.at;
    if (scan.isBroken) throw wrongBracket('a value', offsetOf(window), window.base + stop - 1);
    if (seen > maxBytes) break;
    if (scan.isDone) {
      const text = window.bytes.toString('utf8', window.at, stop);
      window.at = stop;
      return { value: readValue(text, scan.marks), sizeBytes: seen };
    }
    if (!(await fill(window))) throw truncated('a value', offsetOf(window));
  }
  const beganAt = offsetOf(window);
  window.at += seen;
  if (!scan.isDone) await skipValue(window, scan, 'a value', beganAt);
  return { value: undefined, sizeBytes: seen };
}
