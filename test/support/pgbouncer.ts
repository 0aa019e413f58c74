import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { postgresAccount, spawnOptions } from '../../src/embedded-postgres/account.ts';
import { freePort } from '../../src/lib/async/free-port.ts';
import { until } from '../../src/lib/async/until.ts';
import { replaceEach } from './replace-each.ts';

const EXAMPLE = new URL('../../docker/pgbouncer.ini', import.meta.url);

/** PgBouncer in front of a server, configured as in docker/pgbouncer.ini. */
export class PgBouncer {
  readonly #process: ChildProcess;
  readonly #directory: string;
  readonly #port: number;

  private constructor(process: ChildProcess, directory: string, port: number) {
    this.#process = process;
    this.#directory = directory;
    this.#port = port;
  }

  /** @param settings lines that override the example */
  static async start(
    program: string,
    serverUri: string,
    settings: readonly string[] = [],
  ): Promise<PgBouncer> {
    const server = new URL(serverUri);
    const directory = await mkdtemp(join(tmpdir(), 'uic-pgbouncer-'));
    const [port, users, file] = [
      await freePort(),
      join(directory, 'users.txt'),
      join(directory, 'pgbouncer.ini'),
    ];
    await writeFile(users, `"${server.username}" "${decodeURIComponent(server.password)}"\n`);
    const text = replaceEach(await readFile(EXAMPLE, 'utf8'), {
      'core = host=db port=5432 dbname=core': `* = host=${server.hostname} port=${server.port || 5432}`,
      'listen_addr = 127.0.0.1\n': 'listen_addr = 127.0.0.1\nunix_socket_dir =\n',
      'listen_port = 6432': `listen_port = ${port}`,
      '/etc/pgbouncer/userlist.txt': users,
    });
    await writeFile(file, [text, ...settings].join('\n'));
    // PgBouncer refuses to run as root, so another user must be able to enter the directory.
    await chmod(directory, 0o755);
    const child = spawn(program, ['-q', file], {
      ...spawnOptions(await postgresAccount()),
      stdio: 'ignore',
      cwd: directory,
    });
    const pooler = new PgBouncer(child, directory, port);
    if (await until(() => pooler.#answers(serverUri), 10_000)) return pooler;
    await pooler.stop();
    throw new Error('PgBouncer does not answer');
  }

  /** Returns the URI of the same database through this pooler. */
  uri(uri: string): string {
    const url = new URL(uri);
    url.hostname = '127.0.0.1';
    url.port = String(this.#port);
    return url.href;
  }

  async #answers(uri: string): Promise<boolean> {
    const client = new pg.Client(this.uri(uri));
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return true;
    } catch {
      return false;
    }
  }

  async stop(): Promise<void> {
    this.#process.kill();
    if (this.#process.exitCode === null && this.#process.signalCode === null)
      await once(this.#process, 'exit');
    await rm(this.#directory, { recursive: true });
  }
}
