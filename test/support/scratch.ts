import { statfsSync } from 'node:fs';
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Scratch {
  /** Path that does not exist yet, which the user that runs Postgres can reach. */
  path: string;
  remove(): Promise<void>;
}

const MEMORY = '/dev/shm';
/** More than all databases of a run take. Containers often have 64 MiB. */
const ENOUGH_BYTES = 2 * 1024 ** 3;

/**
 * Returns a directory in memory, or the directory for temporary files if there is too little. A database has 300 files,
 * and ext4 creates each of them slowly for minutes after others were removed.
 */
export function fastDirectory(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ENOUGH_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** Creates a temporary directory for an embedded database. */
export async function scratchDirectory(): Promise<Scratch> {
  const root = await realpath(await mkdtemp(join(fastDirectory(), 'uic-faults-')));
  await chmod(root, 0o755);
  return { path: join(root, 'postgres'), remove: () => rm(root, { recursive: true }) };
}
