import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Creates a directory below TMPDIR that only this user can read. It is removed when the process exits, unless
 * the process is killed.
 */
export function makeTempDirectory(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'user-import-'));
  const remove = () => {
    process.off('exit', remove);
    rmSync(path, { recursive: true, force: true });
  };
  process.on('exit', remove);
  return { path, remove };
}
