import { closeSync, openSync } from 'node:fs';

/** Returns whether this process has a controlling terminal. After the terminal was closed, it has none. */
export function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
