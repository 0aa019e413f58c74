import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CliError, writeError } from '../cli-error.ts';

interface TempDirectory {
  /** The first access to this property creates the directory, so that commands without files need no TMPDIR. */
  readonly path: string;
  remove(): void;
}

/**
 * Returns a directory below TMPDIR, for this user only, that is removed at exit. Names of its files are deleted once
 * the files are open, so a killed process leaves only an empty directory.
 */
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
    throw new CliError(`${message} Set TMPDIR to a directory for temporary files.`);
  }
}
