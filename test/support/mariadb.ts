import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import { freePort } from '../../src/lib/async/free-port.ts';
import type { Certificate } from './certificates.ts';
import { fastDirectory } from './scratch.ts';

const SERVER = ['/usr/sbin/mariadbd', '/usr/bin/mariadbd', '/usr/local/bin/mariadbd'].find(existsSync);

/** Whether MariaDB is missing. Always false in CI, which installs it (.ci/run). */
export const lacksMariadb = SERVER === undefined && process.env.CI === undefined;
if (lacksMariadb)
  process.stderr.write('no MariaDB (apt-get install mariadb-server): its tests are skipped\n');

export interface MariadbServer {
  /** URI of root, who has no password. Names no database. */
  uri: string;
  port: number;
  socket: string;
  /** Path of the server's own CA, for `localhost`. */
  certificate: string;
  /** Uses another certificate for new connections. */
  useCertificate(certificate: Certificate): Promise<void>;
  load(database: string, script: string): Promise<void>;
  run(statement: string): Promise<void>;
  stop(): Promise<void>;
}

/** User id without privileges. The server refuses to run as root. */
const NOBODY = 65_534;

/** Starts a server in a temporary directory, with TLS and a self-signed certificate. */
export async function startMariadb(): Promise<MariadbServer> {
  if (SERVER === undefined) throw new Error('there is no mariadbd: apt-get install mariadb-server');
  const port = await freePort();
  const directory = await mkdtemp(join(fastDirectory(), 'uic-mariadb-'));
  const data = join(directory, 'data');
  const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  makeCertificate(cert, key);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const path of [directory, cert, key]) await chown(path, NOBODY, NOBODY);
  const user = isRoot ? ['--user=nobody'] : [];
  // In a shared directory for temporary tables, each server that starts deletes those of the others.
  const places = ['--no-defaults', `--datadir=${data}`, `--tmpdir=${directory}`];
  const install = [...places, '--auth-root-authentication-method=normal', ...user, '--skip-test-db'];
  execFileSync('mariadb-install-db', install, { stdio: 'ignore' });
  const socket = join(directory, 'socket');
  const child = spawn(
    SERVER,
    [
      ...places,
      `--socket=${socket}`,
      `--pid-file=${join(directory, 'pid')}`,
      '--bind-address=127.0.0.1',
      `--port=${port}`,
      `--ssl-cert=${cert}`,
      `--ssl-key=${key}`,
      '--innodb-flush-log-at-trx-commit=0',
      '--skip-name-resolve',
      ...user,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  await ready(child);
  const connect = (database?: string) =>
    mysql.createConnection({
      socketPath: socket,
      user: 'root',
      database,
      multipleStatements: true,
    } as mysql.ConnectionOptions);
  const run = async (statement: string, database?: string) => {
    const connection = await connect(database);
    try {
      await connection.query(statement);
    } finally {
      await connection.end();
    }
  };
  return {
    uri: `mysql://root@127.0.0.1:${port}`,
    port,
    socket,
    certificate: cert,
    async useCertificate(other) {
      copyFileSync(other.cert, cert);
      copyFileSync(other.key, key);
      await run('flush ssl');
    },
    run: (statement) => run(statement),
    async load(database, script) {
      await run(`create database ${database} character set utf8mb4`);
      await run(script, database);
    },
    async stop() {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await exited;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function makeCertificate(cert: string, key: string): void {
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', key, '-out', cert];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, ...files],
    { stdio: 'ignore' },
  );
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
