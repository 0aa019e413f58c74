import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Linux counts CPU time for programs in hundredths of a second, whatever its kernel does. */
const MS_A_TICK = 10;

/** Fields of /proc/PID/stat behind the name of the program, which may hold blanks; the first of them is field 3. */
const statOf = (pid: number) =>
  readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];

/** CPU time of a process, with all its threads and those of its children that have ended, in ms. Linux only. */
export function cpuMs(pid: number): number {
  const [user, system, childUser, childSystem] = statOf(pid).slice(11, 15).map(Number);
  return ((user ?? 0) + (system ?? 0) + (childUser ?? 0) + (childSystem ?? 0)) * MS_A_TICK;
}

/** Memory that a process shares with no other, in bytes. Linux only. */
export function privateBytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return [...text.matchAll(/^Private_\w+:\s+(\d+) kB$/gm)].reduce(
    (sum, [, kB]) => sum + Number(kB) * 1024,
    0,
  );
}

/** The processes of an embedded PostgreSQL: the postmaster and its children, by the directory of the server. Linux only. */
export function serverProcesses(directory: string): number[] {
  const postmaster = Number(readFileSync(join(directory, 'data/postmaster.pid'), 'utf8').split('\n', 1)[0]);
  const children = readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return Number(statOf(Number(name))[1]) === postmaster;
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
  return [postmaster, ...children.map(Number)];
}
