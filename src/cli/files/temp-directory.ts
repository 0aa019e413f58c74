import { createHash } from 'node:crypto';
import { lstatSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasErrno } from '../../lib/errors.ts';
import { CliError, writeError } from '../cli-error.ts';

interface TempDirectory {
  /** Reading this property creates the directory, so that commands without files need no TMPDIR. */
  readonly path: string;
  remove(): void;
}

/**
 * A directory below TMPDIR, for this user only, that is removed at exit. If the process is killed, the next run
 * removes it.
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
    const prefix = `user-import-${processSpace()}-`;
    removeLeftOvers(prefix);
    return mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  } catch (error) {
    const { message } = writeError(tmpdir(), error);
    throw new CliError(`${message} Set TMPDIR to a directory for temporary files.`, { cause: error });
  }
}

/** Names where process ids are unique: containers may share TMPDIR, and do not see each other's processes. */
function processSpace(): string {
  let space = hostname();
  try {
    space += readlinkSync('/proc/self/ns/pid');
  } catch {
    // Other systems than Linux have one space of process ids.
  }
  return createHash('sha256').update(space).digest('hex').slice(0, 8);
}

/** Removes directories of this user whose process has ended without doing so. */
function removeLeftOvers(prefix: string): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(prefix) ? /^(\d+)-\w+$/.exec(name.slice(prefix.length))?.[1] : undefined;
    if (pid === undefined || isRunning(Number(pid))) continue;
    const path = join(tmpdir(), name);
    try {
      const stats = lstatSync(path);
      const isOwn = process.getuid === undefined || stats.uid === process.getuid();
      if (stats.isDirectory() && isOwn) rmSync(path, { recursive: true, force: true });
    } catch {
      // Another run may be removing it at the same time.
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !hasErrno(error, 'ESRCH');
  }
}
