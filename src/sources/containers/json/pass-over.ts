import { type ByteWindow, fill, offsetOf } from './byte-window.ts';
import { truncated, wrongBracket } from './json-problems.ts';
import { type Scan, scanValue } from './scan-value.ts';

/**
 * Goes to the end of a value, however long it is, and keeps nothing of it.
 * @param scan of what has been seen of it before `window.at`
 * @param onBytes is called with the places in the window that the value goes on at
 * @throws FileProblem where it has no end
 */
export async function passOver(
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
