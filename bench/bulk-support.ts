import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { createLogger } from '../src/lib/log.ts';
import { readMigrations } from '../src/postgres/migrate/apply-migrations.ts';
import { migrateAlone } from '../src/postgres/migrate/migrate-alone.ts';
import { startCompiledService } from './compiled.ts';
import { API_KEY, SIGNER_KEY } from './fixtures.ts';

const run = promisify(execFile);

/** Tables that an import writes, in order, with the columns it writes. */
const TABLES = {
  password_logins:
    'email, user_id, recipe_user_id, time_joined_ms, linked, verified_emails, password_hash, hash_algorithm',
  third_party_logins:
    'third_party_id, third_party_user_id, email, user_id, recipe_user_id, time_joined_ms, linked, verified_emails',
  user_aliases: 'alias, kind, user_id, recipe_user_id',
  users: 'user_id, time_joined_ms, metadata',
};

export interface Sent {
  lines: number;
  seconds: number;
  /** Number of lines by outcome. */
  summary: Record<'created' | 'updated' | 'skipped' | 'failed', number>;
}

/** Sends a file with curl, as one stream. */
export async function send(url: string, file: string, query = ''): Promise<Sent> {
  const report = `${file}.report`;
  const start = performance.now();
  await run('curl', [
    ...['-sS', '-X', 'POST', '-T', file, '-o', report],
    ...['-H', `api-key: ${API_KEY}`, '-H', 'content-type: application/x-ndjson', '-H', 'expect:'],
    `${url}/bulk-import/stream${query}`,
  ]);
  const seconds = (performance.now() - start) / 1000;
  const { stdout } = await run('tail', ['-n', '1', report]);
  const { summary } = JSON.parse(stdout);
  if (summary === undefined || summary.failed + summary.skipped > 0)
    throw new Error(`the import said: ${stdout}`);
  return { lines: summary.lines, seconds, summary };
}

export async function startCompiled(uri: string, env: Record<string, string> = {}) {
  const { child, url } = await startCompiledService(
    {
      POSTGRESQL_CONNECTION_URI: uri,
      API_KEYS: API_KEY,
      EXTERNAL_PASSWORD_HASHING_SIGNER_KEY: SIGNER_KEY,
      HOST: '127.0.0.1',
      ...env,
    },
    'inherit',
  );
  const exited = once(child, 'exit');
  return {
    url,
    /** Returns the peak memory of the process. Linux only. */
    peakBytes: () =>
      Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) * 1024,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Manages databases beside the service. */
export class Admin {
  readonly #uri: string;
  constructor(uri: string) {
    this.#uri = uri;
  }

  uri(database: string): string {
    const url = new URL(this.#uri);
    url.pathname = `/${database}`;
    return url.href;
  }

  async #run(database: string | undefined, ...statements: string[]): Promise<void> {
    const client = new pg.Client(database === undefined ? this.#uri : this.uri(database));
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  }

  /**
   * Creates a database again, with empty tables or as a copy. The checkpoint leaves nothing to write during a
   * measurement.
   */
  async create(database: string, template?: string): Promise<void> {
    await this.#run(
      undefined,
      `drop database if exists ${database} with (force)`,
      `create database ${database} ${template === undefined ? '' : `template ${template}`}`,
    );
    await migrateAlone({
      uri: this.uri(database),
      migrations: readMigrations(),
      logger: createLogger('warn'),
    });
    await this.#run(undefined, 'checkpoint');
  }

  /** Writes the rows of an import to one file for each table. */
  async dump(database: string, directory: string): Promise<Record<string, string>> {
    const files: Record<string, string> = {};
    for (const [table, columns] of Object.entries(TABLES)) {
      files[table] = join(directory, `${table}.copy`);
      await this.#psql(database, `\\copy (select ${columns} from ${table}) to '${files[table]}'`);
    }
    return files;
  }

  /** Loads these files with `\copy`. Returns users a second. */
  async load(database: string, files: Record<string, string>, users: number): Promise<number> {
    const commands = Object.entries(TABLES).map(
      ([table, columns]) => `\\copy ${table} (${columns}) from '${files[table]}'`,
    );
    const start = performance.now();
    await this.#psql(database, ...commands);
    return users / ((performance.now() - start) / 1000);
  }

  /** Runs statements one after the other. Returns their total duration in seconds. */
  async timed(database: string, ...statements: string[]): Promise<number> {
    const start = performance.now();
    await this.#psql(database, ...statements);
    return (performance.now() - start) / 1000;
  }

  async drop(database: string): Promise<void> {
    await this.#run(undefined, `drop database ${database} with (force)`);
  }

  async #psql(database: string, ...commands: string[]): Promise<void> {
    const args = commands.flatMap((command) => ['-c', command]);
    await run('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', ...args, this.uri(database)]);
  }
}
