import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type ApiKey, apiKeysOf } from '../config/api-keys.ts';
import type { Config } from '../config/schema.ts';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../embedded-postgres/start-embedded-postgres.ts';
import { recogniseEngine } from '../postgres/citus/recognise-engine.ts';
import { Database } from '../postgres/client/database.ts';
import { waitForDatabase } from '../postgres/client/wait-for-database.ts';
import { assertMigrated } from '../postgres/migrate/apply-migrations.ts';
import { migrateAlone } from '../postgres/migrate/migrate-alone.ts';
import type { Migration } from '../postgres/migrate/read-migrations.ts';
import { composeService, type Parts } from './compose.ts';
import { keepApiKey } from './keep-api-key.ts';
import { serveMetrics } from './serve-metrics.ts';
import { Shutdown } from './shutdown.ts';
import { warnOfMissingSecrets } from './warn-of-missing-secrets.ts';

/** Number of stored hashes to sample: enough to learn which kinds are stored, and how many of each. */
const SAMPLED_HASHES = 256;

/** Connections to the embedded database that are left for psql, migrations and tests. */
const SPARE_CONNECTIONS = 90;

/** Maximum time that bulk work waits for a database connection, and then for a statement. */
const BULK_TIMEOUT_MS = 60_000;

export interface Service {
  readonly url: string;
  readonly createdKey: string | undefined;
  /** Replaces the API keys. Calls that are in progress continue. */
  useKeys(keys: readonly ApiKey[]): void;
  readonly embedded: EmbeddedPostgres | undefined;
  /**
   * Stops the service. For `shutdown_delay_ms`, it still answers requests, but reports that it is not ready.
   * It then finishes running requests up to a deadline. Never throws.
   */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  config: Config;
  logger: Logger;
  migrations: readonly Migration[];
  version: string;
  /** Called when the service cannot continue. The callback must then stop it. */
  onFatal(error: Error): void;
}

export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, logger, migrations, version } = options;
  const shutdown = new Shutdown(config.shutdown_timeout_ms, (error) =>
    logger.error({ err: error }, 'a step of the stop failed'),
  );
  try {
    const embedded =
      config.postgresql_connection_uri === undefined ? await startEmbedded(options) : undefined;
    if (embedded) shutdown.add((deadline) => embedded.stop(deadline));
    const createdKey =
      config.api_keys === undefined
        ? await keepApiKey(config.embedded_postgres_dir, (warning) => logger.warn(warning))
        : undefined;
    const apiKeys = apiKeysOf(config.api_keys ?? createdKey ?? '');
    const uri = config.postgresql_connection_uri ?? embedded?.uri ?? '';

    const { db, bulkDb } = openDatabases(uri, config, logger);
    shutdown.add(
      (deadline) => db.close(deadline),
      (deadline) => bulkDb.close(deadline),
    );
    await waitForDatabase(db, config.database_wait_ms, logger);
    if (config.migrate_on_start) await migrateAlone({ uri, migrations, logger });
    await assertMigrated(db, migrations);
    db.engine = await recogniseEngine(db); // PostgreSQL or Citus. The connections for bulk work need not detect it again.
    bulkDb.engine = db.engine;
    // The next statements need all nodes of a Citus cluster. The first wait only reached the coordinator.
    await waitForDatabase(db, config.database_wait_ms, logger);

    const stopping = new AbortController();
    const parts = await composeService({
      config,
      logger,
      version,
      db,
      bulkDb,
      apiKeys,
      draining: stopping.signal,
    });
    const { app, stagedWorker, expiry, passwords, census, upgrades, wrapper, front, legacyClient } = parts;
    shutdown.add(
      async () => front?.connection.close(),
      async () => legacyClient?.close(),
    );
    shutdown.add(
      () => expiry.stop(),
      () => census.stop(),
      () => stagedWorker.stop(),
      () => upgrades.stop(),
      () => wrapper.stop(),
      async () => front?.worker.stop(),
      async (deadline) => {
        deadline.addEventListener('abort', () => {
          passwords.stop();
          app.servers.closeAllConnections();
        });
        await app.close();
        passwords.stop();
      },
    );
    if (config.metrics_port !== undefined) {
      const served = await serveMetrics(parts.metrics, {
        port: config.metrics_port,
        host: config.metrics_host,
      });
      shutdown.add(() => served.close());
      logger.info({ url: served.url }, 'metrics are served');
    }
    await learnCosts(parts);
    await warnOfMissingSecrets({ store: parts.store, config }, logger);
    const url = await app.listen({ port: config.port, host: config.host });
    await app.servers.listenBeside(app.server, config.host);
    stagedWorker.start();
    expiry.start();
    if (config.wrap_weak_hashes) wrapper.start();
    front?.worker.start();
    const stop = async () => {
      stopping.abort();
      await sleep(config.shutdown_delay_ms);
      await shutdown.run();
    };
    return { url, createdKey, embedded, useKeys: parts.useKeys, stop };
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

function startEmbedded({ config, onFatal }: ServiceOptions): Promise<EmbeddedPostgres> {
  const connections = config.postgresql_connection_pool_size + config.bulk_import_connections;
  return startEmbeddedPostgres({
    directory: config.embedded_postgres_dir,
    onDeath: onFatal,
    settings: { max_connections: String(connections + SPARE_CONNECTIONS) },
  });
}

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
    // One more than streams can use, so that rollbacks and staged users go on.
    size: config.bulk_import_connections + 1,
    timeoutMs: Math.max(config.request_timeout_ms, BULK_TIMEOUT_MS),
    connectTimeoutMs: BULK_TIMEOUT_MS,
    onIdleError,
  });
  return { db, bulkDb };
}

/** Makes the decoy hash of an unknown e-mail take as long to verify as the stored hashes. */
async function learnCosts({ store, passwords }: Parts): Promise<void> {
  const { hashes, standFor } = await store.sampleHashes(SAMPLED_HASHES);
  for (const hash of hashes) passwords.learn(hash, standFor);
}
