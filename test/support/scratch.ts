import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Scratch {
  /** Not there yet; the user that Postgres runs as can reach it. */
  path: string;
  remove(): Promise<void>;
}

/** A place for an embedded database. */
export async function scratchDirectory(): Promise<Scratch> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'uic-faults-')));
  await chmod(root, 0o755);
  return { path: join(root, 'postgres'), remove: () => rm(root, { recursive: true }) };
}
