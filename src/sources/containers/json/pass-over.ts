import { type ByteWindow, fill, offsetOf } from './byte-window.ts';
import { truncated, wrongBracket } from './json-problems.ts';
import { type Scan, scanValue } from './scan-value.ts';

/**
 * Goes to the end of a value, however long it is, and keeps nothing of it.
 * @param scan of what has been seen of it before `window.at`
 * @throws FileProblem where it has no end
 */
export async function passOver(
  window: ByteWindow,
  scan: Scan,
  what: string,
  beganAt = offsetOf(window),
): Promise<void> {
  while (true) {
    window.at = scanValue(scan, window.bytes, window.at, window.end);
    if (scan.isDone) return;
    if (scan.isBroken) throw wrongBracket(what, beganAt, offsetOf(window) - 1);
    if (!(await fill(window))) throw truncated(what, beganAt);
  }
}
