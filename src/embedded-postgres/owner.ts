import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasErrno, unlessErrno } from '../lib/errors.ts';
import { spawnOptions } from './account.ts';

/**
 * Returns the start time of a process, as text for comparison, or undefined if there is no such process. A process id
 * may be used again, but never with the same text. A zombie does not count as a process, because it holds no resources.
 */
export async function processStart(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') {
    const listed = await ps(pid, ['-o', 'stat=', '-o', 'lstart=']);
    const [state = 'Z', ...started] = listed?.split(/\s+/) ?? [];
    return state.startsWith('Z') ? undefined : started.join('-');
  }
  const stat = await readProc(`${pid}/stat`);
  // Fields are counted after the command in brackets, which may contain brackets; see proc(5).
  const [state = 'Z', ...rest] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  if (state === 'Z' || state === 'X') return undefined;
  // Field 22 is the time from boot to start. The id of the boot makes the text unique across boots.
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
  return `${boot.slice(0, 8)}-${rest[18]}`;
}

/** Returns the command line of a process, joined by spaces. */
export async function processCommand(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return ps(pid, ['-ww', '-o', 'command=']);
  return (await readProc(`${pid}/cmdline`))?.replaceAll('\0', ' ').trim();
}

const readProc = (file: string): Promise<string | undefined> =>
  unlessErrno(readFile(`/proc/${file}`, 'utf8'), undefined, 'ENOENT', 'ESRCH');

async function ps(pid: number, format: string[]): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(
      'ps',
      [...format, '-p', String(pid)],
      spawnOptions(undefined),
    );
    return stdout.trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 1) return undefined;
    throw error;
  }
}

const FREE = 'free';

/**
 * Makes this process the only owner of `directory`, and resolves to the function that releases it. The lock is the name
 * of the only file in `owner/`: `free`, or the owner's process id and start time. Renaming that file is a
 * compare-and-swap: of several processes that see the same dead owner, only one still finds the file.
 * @throws {Error} with the process id, if a living process owns the directory, even if it is this one
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

/**
 * Creates the lock together with its file. If another process has created it meanwhile, the rename fails, because a
 * directory cannot be renamed onto a non-empty one.
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
