import { closeSync, openSync } from 'node:fs';

/**
 * Returns whether this process has a controlling terminal. It no longer has one after the terminal was
 * closed.
 */
export function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
