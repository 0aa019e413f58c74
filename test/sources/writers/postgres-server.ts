import { execFileSync } from 'node:child_process';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../../src/lib/async/free-port.ts';
import { fastDirectory } from '../../support/scratch.ts';

/** Programs of the PostgreSQL that Debian installs. */
export const POSTGRES_PROGRAMS = '/usr/lib/postgresql/15/bin';
/** User id of an account without rights. PostgreSQL refuses to run as root. */
const NOBODY = 65_534;

/** Starts a PostgreSQL of the machine, without durability and in a directory of its own. */
export async function startPostgres() {
  const directory = await mkdtemp(join(fastDirectory(), 'uic-postgres-'));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(directory, NOBODY, NOBODY);
  const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const run = (program: string, ...args: string[]) =>
    execFileSync(join(POSTGRES_PROGRAMS, program), ['-D', join(directory, 'data'), ...args], {
      ...{ ...as, cwd: directory, env: { HOME: directory, PATH: process.env.PATH }, stdio: 'ignore' },
    });
  run('initdb', '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '-N');
  const port = await freePort();
  const settings = `-c port=${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${directory}`;
  const durability = '-c fsync=off -c full_page_writes=off';
  run('pg_ctl', '-l', join(directory, 'log'), '-w', '-o', `${settings} ${durability}`, 'start');
  const address = ['-h', '127.0.0.1', '-p', `${port}`, '-U', 'postgres'];
  return {
    port,
    directory,
    /** Returns the output of psql: rows without decoration. */
    psql: (script: string): Buffer =>
      execFileSync(
        join(POSTGRES_PROGRAMS, 'psql'),
        ['-XAtq', '-v', 'ON_ERROR_STOP=1', ...address, 'postgres'],
        { input: script, maxBuffer: 64 * 1024 * 1024, stdio: ['pipe', 'pipe', 'ignore'] },
      ),
    dump: (options: readonly string[], database: string): Buffer =>
      execFileSync(join(POSTGRES_PROGRAMS, 'pg_dump'), [...address, ...options, database], {
        maxBuffer: 256 * 1024 * 1024,
      }),
    async stop() {
      run('pg_ctl', '-w', '-m', 'immediate', 'stop');
      await rm(directory, { recursive: true, force: true });
    },
  };
}
