import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** Directories in which packages install servers. Some of them may be missing from PATH. */
const FOLDERS = [
  '/usr/lib/postgresql/15/bin',
  '/usr/sbin',
  '/usr/bin',
  '/usr/local/sbin',
  '/usr/local/bin',
  '/opt/homebrew/bin',
];

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
