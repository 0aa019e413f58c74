import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { unlessErrno } from '../lib/errors.ts';
import { spawnOptions } from './account.ts';

/**
 * Returns the start time of a process, as text for comparison. Process ids are reused, but never with the
 * same text. A zombie does not count as a process, because it holds no resources.
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
