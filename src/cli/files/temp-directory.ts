import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CliError, writeError } from '../cli-error.ts';

/** A directory below TMPDIR that only this user can read. */
export interface TempDirectory {
  /**
   * Path of the temporary directory. The first use of this property creates the directory, so that commands
   * without files need no TMPDIR.
   */
  readonly path: string;
  remove(): void;
}

/** Returns a directory that is removed when the process exits, unless the process is killed. */
export function tempDirectory(): TempDirectory {
  let created: string | undefined;
  const remove = () => {
    process.off('exit', remove);
    if (created !== undefined) rmSync(created, { recursive: true, force: true });
  };
  return {
    get path() {
      if (created === undefined) {
        created = create();
        process.on('exit', remove);
      }
      return created;
    },
    remove,
  };
}

function create(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'user-import-'));
  } catch (error) {
    const { message } = writeError(tmpdir(), error);
    throw new CliError(`${message} Set TMPDIR to a directory for temporary files.`, { cause: error });
  }
}
