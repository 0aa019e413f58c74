import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory that only this user can read, in that of the system (TMPDIR). It is gone when the process is, but for a kill. */
export function makeTempDirectory(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'user-import-'));
  const remove = () => {
    process.off('exit', remove);
    rmSync(path, { recursive: true, force: true });
  };
  process.on('exit', remove);
  return { path, remove };
}
