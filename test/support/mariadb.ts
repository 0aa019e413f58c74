import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import { installed } from './installed.ts';
import { fastDirectory } from './scratch.ts';

export interface MariadbServer {
  socket: string;
  /** Connects as root, who has no password. */
  connect(): Promise<mysql.Connection>;
  stop(): Promise<void>;
}

/** User id without privileges. The server refuses to run as root. */
const NOBODY = 65_534;

/** Starts a server in a temporary directory, which listens only on a socket there. */
export async function startMariadb(): Promise<MariadbServer> {
  const server = installed('mariadbd');
  if (server === undefined) throw new Error('there is no mariadbd: apt-get install mariadb-server');
  const directory = await mkdtemp(join(fastDirectory(), 'uic-mariadb-'));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(directory, NOBODY, NOBODY);
  const user = isRoot ? ['--user=nobody'] : [];
  // In a shared directory for temporary tables, each server that starts deletes those of the others.
  const places = ['--no-defaults', `--datadir=${join(directory, 'data')}`, `--tmpdir=${directory}`];
  const install = [...places, '--auth-root-authentication-method=normal', ...user, '--skip-test-db'];
  execFileSync('mariadb-install-db', install, { stdio: 'ignore' });
  const socket = join(directory, 'socket');
  const listening = ['--skip-networking', `--socket=${socket}`, `--pid-file=${join(directory, 'pid')}`];
  const child = spawn(server, [...places, ...listening, '--innodb-flush-log-at-trx-commit=0', ...user], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await ready(child);
  const options: mysql.ConnectionOptions = { socketPath: socket, user: 'root', charset: 'utf8mb4_bin' };
  return {
    socket,
    connect: () => mysql.createConnection(options),
    async stop() {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await exited;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Resolves when the server logs that it is ready. */
function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = '';
    child.stderr?.on('data', (bytes) => {
      log = (log + bytes).slice(-8192);
      if (/ready for connections/.test(log)) resolve();
    });
    child.once('exit', () => reject(new Error(`mariadbd ended: ${log}`)));
  });
}
