import { join } from 'node:path';
import pg from 'pg';
import { loadOrCreateSecret } from '../lib/secrets.ts';
import { postgresAccount } from './account.ts';
import { findBinaries } from './binaries.ts';
import { openCluster, removeUnfinished, takeOver } from './cluster.ts';
import { placeDirectory } from './directory.ts';
import { claimDirectory } from './owner.ts';
import { clearPostmaster, startPostmaster } from './postmaster.ts';

/** Exported here, because other folders import only this file of `embedded-postgres`. */
export { hasEmbeddedPostgres } from './binaries.ts';

const DATABASE = 'user_import_core';

export interface EmbeddedPostgres {
  readonly uri: string;
  /** Directory of PostgreSQL's data, with links resolved. */
  readonly directory: string;
  /** Whether another directory is used, because the user that PostgreSQL runs as cannot reach the wanted one. */
  readonly relocated: boolean;
  /** Stops PostgreSQL, at once after the deadline. May be called more than once. */
  stop(deadline?: AbortSignal): Promise<void>;
}

/**
 * Starts the PostgreSQL of the npm packages on the data in `directory`, which is kept between runs. After a crash of
 * this process, of PostgreSQL or of the machine, the next start cleans up. `settings` override postgresql.conf, such as
 * `{ fsync: 'off' }` in tests. `onDeath` is called if PostgreSQL ends although `stop` was not called.
 * @throws {Error} if a living process uses the directory, or PostgreSQL does not start
 */
export async function startEmbeddedPostgres(options: {
  directory: string;
  settings?: Record<string, string>;
  onDeath?(error: Error): void;
}): Promise<EmbeddedPostgres> {
  const { directory: wanted, settings = {} } = options;
  const account = await postgresAccount();
  const { directory, relocated } = await placeDirectory(wanted, account);
  const release = await claimDirectory(directory);
  try {
    await removeUnfinished(directory);
    const binaries = await findBinaries(directory, account);
    const password = await loadOrCreateSecret(join(directory, 'postgres-password'));
    const durable = settings.fsync !== 'off';
    const data = await openCluster(directory, { binaries, account, password, durable });
    await clearPostmaster(data);
    if (account) await takeOver(data, account);
    const logFile = join(directory, 'postgres.log');
    const postgres = join(binaries, 'postgres');
    const postmaster = await startPostmaster({ postgres, data, account, settings, logFile });
    try {
      await createDatabase({ port: postmaster.port, password });
    } catch (error) {
      await postmaster.stop();
      throw error;
    }
    void postmaster.death.then((message) => options.onDeath?.(new Error(message)));
    let stopped: Promise<void> | undefined;
    return {
      uri: `postgresql://postgres:${password}@127.0.0.1:${postmaster.port}/${DATABASE}`,
      directory,
      relocated,
      stop: (deadline) => {
        stopped ??= postmaster.stop(deadline).then(release);
        return stopped;
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

async function createDatabase(server: { port: number; password: string }): Promise<void> {
  const client = new pg.Client({
    ...server,
    host: '127.0.0.1',
    user: 'postgres',
    database: 'postgres',
    ssl: false,
  });
  await client.connect();
  try {
    const found = await client.query('select from pg_database where datname = $1', [DATABASE]);
    if (found.rowCount === 0) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
}
