import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../src/lib/async/until.ts';

/**
 * Kills the Postgres with this data and all of its processes. This resembles a power failure, except that the
 * page cache survives.
 */
export async function killPostmaster(dataDirectory: string): Promise<void> {
  const postmaster = Number.parseInt(await readFile(join(dataDirectory, 'postmaster.pid'), 'utf8'), 10);
  // A stopped postmaster starts no backend that would be missing from the list and would keep the shared memory.
  kill(postmaster, 'SIGSTOP');
  const pids = [postmaster, ...(await childrenOf(postmaster))];
  for (const pid of pids) kill(pid);
  await until(() => pids.every((pid) => !kill(pid, 0)), 10_000);
}

/** Returns false if the process does not exist. */
function kill(pid: number, signal: NodeJS.Signals | 0 = 'SIGKILL'): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

async function childrenOf(parent: number): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => '');
    // The name of the program comes first, in brackets, and may contain spaces.
    if (Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent) found.push(Number(name));
  }
  return found;
}
