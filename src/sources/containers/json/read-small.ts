import { type ByteWindow, offsetOf, tryFill } from './byte-window.ts';
import { wrongBracket } from './json-problems.ts';
import { readValue } from './read-value.ts';
import { type Scan, scanValue, startScan } from './scan-value.ts';
import { skipValue } from './skip-value.ts';

/** A small JSON value is parsed. A larger one is skipped, to save memory. */
export interface Small {
  /** Undefined if the text of the JSON value is too long or invalid. */
  value: unknown;
  sizeBytes: number;
}

/** @throws FileProblem if the JSON value does not end */
export async function readSmall(window: ByteWindow, scan: Scan, maxBytes: number): Promise<Small> {
  const small = await peekSmall(window, scan, maxBytes);
  const beganAt = offsetOf(window);
  window.at += small.sizeBytes;
  if (scan.isBroken) throw wrongBracket('a value', beganAt, offsetOf(window) - 1);
  if (!scan.isDone) await skipValue(window, scan, 'a value', beganAt);
  return small;
}

/**
 * Consumes nothing. For a JSON value too large, invalid or incomplete, `sizeBytes` is that of the part seen.
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
