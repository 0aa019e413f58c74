import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Logger } from 'pino';
import { settingProblem } from '../config/load.ts';
import { namedKeys } from '../config/named-keys.ts';
import type { Config } from '../config/schema.ts';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../embedded-postgres/start-embedded-postgres.ts';
import { buildPasswords } from '../hashing/build-passwords.ts';
import { buildApp } from '../http/app.ts';
import { BulkPace } from '../imports/bulk-pace.ts';
import { ImportExpiry } from '../imports/history/import-expiry.ts';
import { StagedWorker } from '../imports/staged/staged-worker.ts';
import { keepSecret } from '../lib/keep-secret.ts';
import { Database } from '../postgres/client/database.ts';
import { waitForDatabase } from '../postgres/client/wait-for-database.ts';
import { createImportStore } from '../postgres/imports/create-import-store.ts';
import { assertMigrated } from '../postgres/migrate/migrate.ts';
import { migrateAlone } from '../postgres/migrate/migrate-alone.ts';
import type { Migration } from '../postgres/migrate/migration.ts';
import { createStagedStore } from '../postgres/staged/create-staged-store.ts';
import { createUserStore } from '../postgres/users/create-user-store.ts';
import { Shutdown } from './shutdown.ts';

/** Hashes looked at to learn what verifying one costs here, so that decoys cost the same. */
const SAMPLED_HASHES = 256;

/** Connections of the embedded database beyond the pool's: for psql, and a second pool at start. */
const SPARE_CONNECTIONS = 90;

/** Longest a chunk of a bulk import may wait for one of its connections, and then for a statement. */
const BULK_TIMEOUT_MS = 60_000;

/** How often each instance looks for staged users that another took in, or had in hand when it died. */
const STAGED_POLL_MS = 5000;

export interface Service {
  /** Where it listens, e.g. `http://127.0.0.1:3567`. */
  readonly url: string;
  /** The keys it accepts, as configured. */
  readonly apiKeys: string;
  /** The embedded database, where that is used. */
  readonly embedded: EmbeddedPostgres | undefined;
  /** Stops accepting, finishes what is in flight (bounded), closes the database last. Never throws. */
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
export async function startService({
  config,
  logger,
  migrations,
  version,
  onFatal,
}: ServiceOptions): Promise<Service> {
  const shutdown = new Shutdown(config.shutdown_timeout_ms, (error) =>
    logger.error({ err: error }, 'a step of the stop failed'),
  );
  try {
    const embedded =
      config.postgresql_connection_uri === undefined
        ? await startEmbeddedPostgres({
            directory: config.embedded_postgres_dir,
            onDeath: onFatal,
            settings: {
              max_connections: String(
                config.postgresql_connection_pool_size + config.bulk_import_connections + SPARE_CONNECTIONS,
              ),
            },
          })
        : undefined;
    if (embedded) shutdown.add((deadline) => embedded.stop(deadline));
    const apiKeys = config.api_keys ?? (await keepApiKey(config.embedded_postgres_dir));

    const uri = config.postgresql_connection_uri ?? embedded?.uri ?? '';
    const onIdleError = (error: Error) => logger.warn({ err: error }, 'a database connection broke');
    const db = new Database({
      uri,
      size: config.postgresql_connection_pool_size,
      timeoutMs: config.request_timeout_ms,
      onIdleError,
    });
    shutdown.add((deadline) => db.close(deadline));
    await waitForDatabase(db, config.database_wait_ms, logger);
    if (config.migrate_on_start) await migrateAlone({ uri, migrations, logger });
    await assertMigrated(db, migrations);

    const bulkDb = new Database({
      uri,
      // As many streams as that may hold one each for as long as they last: one is left for rollbacks and staged users.
      size: config.bulk_import_connections + 1,
      timeoutMs: Math.max(config.request_timeout_ms, BULK_TIMEOUT_MS),
      connectTimeoutMs: BULK_TIMEOUT_MS,
      onIdleError,
    });
    shutdown.add((deadline) => bulkDb.close(deadline));
    const store = createUserStore(db);
    // Naming a key changes no decoy.
    const secret = namedKeys(apiKeys).map(({ key }) => key);
    const passwords = buildPasswords(config, secret.join());
    const { hashes, standFor } = await store.sampleHashes(SAMPLED_HASHES);
    for (const hash of hashes) passwords.learn(hash, standFor);

    const imports = createImportStore(db, bulkDb);
    const expiry = new ImportExpiry({
      imports,
      days: config.import_undo_days,
      onError: (error) => logger.error({ err: error }, 'old imports could not be forgotten'),
    });
    const pace = new BulkPace();
    const staged = createStagedStore(db, bulkDb);
    const stagedWorker = new StagedWorker({
      staged,
      passwords,
      pace,
      now: Date.now,
      pollMs: STAGED_POLL_MS,
      onError: (error) => logger.error({ err: error }, 'staged users could not be imported'),
    });

    let draining = false;
    const app = await buildApp({
      store,
      passwords,
      now: Date.now,
      imports,
      staged,
      pace,
      wakeStagedWorker: () => stagedWorker.wake(),
      bulk: {
        maxLineBytes: config.bulk_import_max_line_bytes,
        maxStreams: config.bulk_import_connections,
        idleMs: config.request_timeout_ms,
      },
      apiKeys,
      logger,
      version,
      bodyLimitBytes: config.body_limit_bytes,
      requestTimeoutMs: config.request_timeout_ms,
      readiness: async () => {
        if (draining) return 'draining';
        return store.ping().then(
          () => undefined,
          () => 'database' as const,
        );
      },
    });
    shutdown.add(
      () => expiry.stop(),
      () => stagedWorker.stop(),
      async (deadline) => {
        draining = true;
        deadline.addEventListener('abort', () => {
          passwords.stop();
          app.servers.closeAllConnections();
        });
        await app.close();
        passwords.stop();
      },
    );
    const url = await app.listen({ port: config.port, host: config.host });
    await app.servers.listenBeside(app.server, config.host);
    stagedWorker.start();
    expiry.start();
    return { url, apiKeys, embedded, stop: () => shutdown.run() };
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

/** The key of an installation that was given none: made once, kept beside the embedded database. */
async function keepApiKey(databaseDirectory: string): Promise<string> {
  const path = `${resolve(databaseDirectory)}.api-key`;
  await mkdir(dirname(path), { recursive: true });
  const key = await keepSecret(path);
  const problem = settingProblem('api_keys', key);
  if (problem !== undefined) throw new Error(`${path}: ${problem}`);
  return key;
}
