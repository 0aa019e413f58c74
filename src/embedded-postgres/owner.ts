import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno } from '../lib/errors.ts';
import { processStart } from './process-info.ts';

const FREE = 'free';

/**
 * Makes this process the only owner of `directory`, also in place of an owner that died without releasing it. Resolves to
 * what releases it.
 * @throws {Error} naming the process id, when a living process owns it, this one included
 *
 * The lock is the name of the one file in `owner/`: `free`, or the owner's process id and start time. Renaming that very
 * name is a compare-and-swap: of several that saw the same dead owner only one finds the file still there.
 */
export async function claimDirectory(directory: string): Promise<() => Promise<void>> {
  const lock = join(directory, 'owner');
  const self = `${process.pid}.${await processStart(process.pid)}`;
  for (;;) {
    const holders = await listHolders(lock);
    if (holders.length === 0) await seed(lock);
    for (const holder of holders) {
      if (await isAlive(holder)) {
        const pid = holder.split('.')[0];
        throw new Error(`${directory} is in use by the process ${pid}: stop it, or choose another directory`);
      }
      if (await swap(lock, holder, self)) {
        return async () => rename(join(lock, self), join(lock, FREE));
      }
    }
  }
}

async function isAlive(holder: string): Promise<boolean> {
  if (holder === FREE) return false;
  const [pid, start] = holder.split('.');
  return (await processStart(Number(pid))) === start;
}

async function swap(lock: string, from: string, to: string): Promise<boolean> {
  try {
    await rename(join(lock, from), join(lock, to));
    return true;
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return false;
    throw error;
  }
}

async function listHolders(lock: string): Promise<string[]> {
  try {
    return await readdir(lock);
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return [];
    throw error;
  }
}

/**
 * Makes the lock. It appears under its final name with the file in it, or not at all: renaming a directory onto one that is
 * not empty fails.
 */
async function seed(lock: string): Promise<void> {
  const aside = await mkdtemp(`${lock}.`);
  try {
    await writeFile(join(aside, FREE), '');
    await rename(aside, lock);
  } catch (error) {
    if (!hasErrno(error, 'ENOTEMPTY', 'EEXIST')) throw error;
    await rm(aside, { recursive: true });
  }
}
