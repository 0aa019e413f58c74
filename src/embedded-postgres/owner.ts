import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno, unlessErrno } from '../lib/errors.ts';
import { processStart } from './process-info.ts';

const FREE = 'free';

/**
 * Makes this process the only owner of `directory`, and resolves to the function that releases it. The lock
 * is the name of the only file in `owner/`: `free`, or the owner's process id and start time. Renaming that
 * file is a compare-and-swap: of several processes that see the same dead owner, only one still finds the
 * file.
 * @throws {Error} with the process id, if a living process owns the directory, including this one
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

const swap = (lock: string, from: string, to: string): Promise<boolean> =>
  unlessErrno(
    rename(join(lock, from), join(lock, to)).then(() => true),
    false,
    'ENOENT',
  );

const listHolders = (lock: string): Promise<string[]> => unlessErrno(readdir(lock), [], 'ENOENT');

/** The lock appears with its file inside, because renaming a directory onto a non-empty one fails. */
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
