import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config/schema.ts';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../embedded-postgres/start-embedded-postgres.ts';
import { Database } from '../postgres/client/database.ts';
import { recogniseEngine } from '../postgres/client/recognise-engine.ts';
import { waitForDatabase } from '../postgres/client/wait-for-database.ts';
import { assertMigrated } from '../postgres/migrate/apply-migrations.ts';
import { migrateAlone } from '../postgres/migrate/migrate-alone.ts';
import type { Migration } from '../postgres/migrate/migration.ts';
import { keepApiKey } from './keep-api-key.ts';
import { Shutdown } from './shutdown.ts';
import { warnOfMissingSecrets } from './warn-of-missing-secrets.ts';
import { type Parts, wire } from './wire.ts';

/** Hashes looked at when the service starts: enough to know which kinds are stored, and how many of each. */
const SAMPLED_HASHES = 256;

/** Connections the embedded database has room for beyond those of this service: for psql, migrations, and tests. */
const SPARE_CONNECTIONS = 90;

/** Longest that bulk work may wait for one of its connections, and then for a statement, in ms. */
const BULK_TIMEOUT_MS = 60_000;

export interface Service {
  /** Where it listens, e.g. `http://127.0.0.1:3567`. */
  readonly url: string;
  /** The keys it accepts, as configured. */
  readonly apiKeys: string;
  /** The embedded database, where that is used. */
  readonly embedded: EmbeddedPostgres | undefined;
  /**
   * Serves on for `shutdown_delay_ms`, no longer ready. Then stops accepting, finishes what is in flight (bounded), closes the
   * database last. Never throws.
   */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  config: Config;
  logger: Logger;
  migrations: readonly Migration[];
  version: string;
  /** Called when the service cannot go on. It is to be stopped then. */
  onFatal(error: Error): void;
}

/** Starts the whole service. What was started is stopped again when a later step fails. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, logger, migrations, version } = options;
  const shutdown = new Shutdown(config.shutdown_timeout_ms, (error) =>
    logger.error({ err: error }, 'a step of the stop failed'),
  );
  try {
    const embedded =
      config.postgresql_connection_uri === undefined ? await startEmbedded(options) : undefined;
    if (embedded) shutdown.add((deadline) => embedded.stop(deadline));
    const apiKeys = config.api_keys ?? (await keepApiKey(config.embedded_postgres_dir));
    const uri = config.postgresql_connection_uri ?? embedded?.uri ?? '';

    const { db, bulkDb } = openDatabases(uri, config, logger);
    shutdown.add(
      (deadline) => db.close(deadline),
      (deadline) => bulkDb.close(deadline),
    );
    await waitForDatabase(db, config.database_wait_ms, logger);
    if (config.migrate_on_start) await migrateAlone({ uri, migrations, logger });
    await assertMigrated(db, migrations);
    db.engine = await recogniseEngine(db);
    bulkDb.engine = db.engine;
    // What is read below is on all nodes, and only one has answered.
    if (db.engine === 'citus') await waitForDatabase(db, config.database_wait_ms, logger);

    let draining = false;
    const isDraining = () => draining;
    const parts = await wire({ config, logger, version, db, bulkDb, apiKeys, isDraining });
    const { app, stagedWorker, expiry, passwords, census, upgrades, wrapper } = parts;
    shutdown.add(
      () => expiry.stop(),
      () => census.stop(),
      () => stagedWorker.stop(),
      () => upgrades.stop(),
      () => wrapper.stop(),
      async (deadline) => {
        deadline.addEventListener('abort', () => {
          passwords.stop();
          app.servers.closeAllConnections();
        });
        await app.close();
        passwords.stop();
      },
    );
    await learnCosts(parts);
    await warnOfMissingSecrets({ store: parts.store, config }, logger);
    const url = await app.listen({ port: config.port, host: config.host });
    await app.servers.listenBeside(app.server, config.host);
    stagedWorker.start();
    expiry.start();
    if (config.wrap_weak_hashes) wrapper.start();
    const stop = async () => {
      draining = true;
      await sleep(config.shutdown_delay_ms);
      await shutdown.run();
    };
    return { url, apiKeys, embedded, stop };
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

/** Starts the database that comes with this service. */
function startEmbedded({ config, onFatal }: ServiceOptions): Promise<EmbeddedPostgres> {
  const connections = config.postgresql_connection_pool_size + config.bulk_import_connections;
  return startEmbeddedPostgres({
    directory: config.embedded_postgres_dir,
    onDeath: onFatal,
    settings: { max_connections: String(connections + SPARE_CONNECTIONS) },
  });
}

/** Two connection pools: bulk work, which holds its connections long, never takes one from a call. */
function openDatabases(uri: string, config: Config, logger: Logger): Record<'db' | 'bulkDb', Database> {
  const onIdleError = (error: Error) => logger.warn({ err: error }, 'a database connection broke');
  const db = new Database({
    uri,
    size: config.postgresql_connection_pool_size,
    timeoutMs: config.request_timeout_ms,
    onIdleError,
  });
  const bulkDb = new Database({
    uri,
    // The one more keeps rollbacks and staged users going while streams use all the others.
    size: config.bulk_import_connections + 1,
    timeoutMs: Math.max(config.request_timeout_ms, BULK_TIMEOUT_MS),
    connectTimeoutMs: BULK_TIMEOUT_MS,
    onIdleError,
  });
  return { db, bulkDb };
}

/** Has decoys take as long as the stored hashes do. */
async function learnCosts({ store, passwords }: Parts): Promise<void> {
  const { hashes, standFor } = await store.sampleHashes(SAMPLED_HASHES);
  for (const hash of hashes) passwords.learn(hash, standFor);
}
