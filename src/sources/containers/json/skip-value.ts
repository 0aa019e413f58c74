import { type ByteWindow, fill, offsetOf } from './byte-window.ts';
import { truncated, wrongBracket } from './json-problems.ts';
import { type Scan, scanValue } from './scan-value.ts';

/**
 * Skips to the end of a JSON value of any length, without keeping its bytes.
 * @param scan state after the part of the value before `window.at`
 * @param onBytes called with the indexes of each skipped part in `window.bytes`
 * @throws FileProblem if the value does not end
 */
export async function skipValue(
  window: ByteWindow,
  scan: Scan,
  what: string,
  beganAt = offsetOf(window),
  onBytes?: (from: number, to: number) => void,
): Promise<void> {
  while (true) {
    const from = window.at;
    window.at = scanValue(scan, window.bytes, from, window.end);
    onBytes?.(from, window.at);
    if (scan.isDone) return;
    if (scan.isBroken) throw wrongBracket(what, beganAt, offsetOf(window) - 1);
    if (!(await fill(window))) throw truncated(what, beganAt);
  }
}
