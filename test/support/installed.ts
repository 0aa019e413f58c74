import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** Where packages put servers; not all of these are in every PATH. */
const FOLDERS = [
  '/usr/lib/postgresql/15/bin',
  '/usr/sbin',
  '/usr/bin',
  '/usr/local/sbin',
  '/usr/local/bin',
  '/opt/homebrew/bin',
];

/** Returns the path of a program of the system; undefined where it is not installed. */
export function installed(name: string): string | undefined {
  return FOLDERS.map((folder) => join(folder, name)).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
