import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { hasErrno } from '../lib/errors.ts';
import { spawnOptions } from './account.ts';

/**
 * Returns when a process started, as text to compare. A process id is used again, but not together with this text.
 * Undefined when there is no such process; a zombie counts as none, as it holds nothing any more.
 */
export async function processStart(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') {
    const listed = await ps(pid, ['-o', 'stat=', '-o', 'lstart=']);
    const [state = 'Z', ...started] = listed?.split(/\s+/) ?? [];
    return state.startsWith('Z') ? undefined : started.join('-');
  }
  const stat = await readProc(`${pid}/stat`);
  // The second field is the command in brackets, and may hold brackets itself: fields are counted from the last one, proc(5).
  const [state = 'Z', ...rest] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  if (state === 'Z' || state === 'X') return undefined;
  // Field 22 counts from boot, so that the boot is part of the text.
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
  return `${boot.slice(0, 8)}-${rest[18]}`;
}

/** Returns the command line of a process, joined by spaces. Undefined when there is no such process. */
export async function processCommand(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return ps(pid, ['-ww', '-o', 'command=']);
  return (await readProc(`${pid}/cmdline`))?.replaceAll('\0', ' ').trim();
}

async function readProc(file: string): Promise<string | undefined> {
  try {
    return await readFile(`/proc/${file}`, 'utf8');
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ESRCH')) return undefined;
    throw error;
  }
}

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
