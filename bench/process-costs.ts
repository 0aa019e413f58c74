import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Unit of CPU time in /proc: a hundredth of a second on every Linux. */
const MS_A_TICK = 10;

/**
 * Returns the fields of /proc/PID/stat after the name of the program, which may contain blanks. The first of
 * them is field 3.
 */
const statOf = (pid: number) =>
  readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];

/** Returns the CPU time of a process with all its threads and ended children, in ms. Linux only. */
export function cpuMs(pid: number): number {
  const [user, system, childUser, childSystem] = statOf(pid).slice(11, 15).map(Number);
  return ((user ?? 0) + (system ?? 0) + (childUser ?? 0) + (childSystem ?? 0)) * MS_A_TICK;
}

/** Returns the memory that a process shares with no other, in bytes. Linux only. */
export function privateBytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return [...text.matchAll(/^Private_\w+:\s+(\d+) kB$/gm)].reduce(
    (sum, [, kB]) => sum + Number(kB) * 1024,
    0,
  );
}

/**
 * Returns the processes of the embedded PostgreSQL in this directory: the postmaster and its children. Linux
 * only.
 */
export function serverProcesses(directory: string): number[] {
  const postmaster = Number(readFileSync(join(directory, 'data/postmaster.pid'), 'utf8').split('\n', 1)[0]);
  const children = readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return Number(statOf(Number(name))[1]) === postmaster;
    } catch {
      // The process has ended meanwhile.
      return false;
    }
  });
  return [postmaster, ...children.map(Number)];
}
