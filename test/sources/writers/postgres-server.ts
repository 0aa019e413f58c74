import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fastDirectory } from '../../support/scratch.ts';

/** Programs of the PostgreSQL that Debian installs. */
export const POSTGRES_PROGRAMS = '/usr/lib/postgresql/15/bin';
/** User id of an account without rights. PostgreSQL refuses to run as root. */
export const NOBODY = 65_534;

/** Starts a PostgreSQL server that listens only on a socket in a temporary directory. */
export function startPostgres() {
  const directory = mkdtempSync(join(fastDirectory(), 'writer-postgres-'));
  const data = join(directory, 'data');
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(directory, NOBODY, NOBODY);
  const as = isRoot ? { uid: NOBODY, gid: NOBODY, cwd: directory } : { cwd: directory };
  const run = (program: string, args: string[]) =>
    execFileSync(join(POSTGRES_PROGRAMS, program), args, { ...as, stdio: 'ignore' });
  run('initdb', ['-D', data, '-U', 'postgres', '-E', 'UTF8', '--no-sync']);
  run('pg_ctl', ['-D', data, '-w', '-o', `-k ${directory} -h '' -F`, 'start']);
  return {
    /** Returns the output of psql: rows without decoration. */
    psql: (script: string): Buffer =>
      execFileSync(
        join(POSTGRES_PROGRAMS, 'psql'),
        ['-XAtq', '-v', 'ON_ERROR_STOP=1', '-h', directory, '-U', 'postgres', 'postgres'],
        { input: script, maxBuffer: 64 * 1024 * 1024, stdio: ['pipe', 'pipe', 'ignore'] },
      ),
    stop: () => {
      run('pg_ctl', ['-D', data, '-w', '-m', 'immediate', 'stop']);
      rmSync(directory, { recursive: true });
    },
  };
}
