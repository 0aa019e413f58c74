import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the process id of the embedded Postgres whose data is in `directory`. */
export async function postmasterPid(directory: string): Promise<number> {
  return Number.parseInt(await readFile(join(directory, 'data/postmaster.pid'), 'utf8'), 10);
}
