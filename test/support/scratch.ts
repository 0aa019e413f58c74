import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Scratch {
  /** Path that does not exist yet, which the user that runs Postgres can reach. */
  path: string;
  remove(): Promise<void>;
}

/** Creates a temporary directory for an embedded database. */
export async function scratchDirectory(): Promise<Scratch> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'uic-faults-')));
  await chmod(root, 0o755);
  return { path: join(root, 'postgres'), remove: () => rm(root, { recursive: true }) };
}
