import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type ApiKey, apiKeysOf } from '../config/api-keys.ts';
import { settingProblem } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { isOpenToAll, openFile, weakSecrets } from '../config/secret-warnings.ts';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../embedded-postgres/start-embedded-postgres.ts';
import { METRICS_TYPE, type Metrics } from '../lib/metrics.ts';
import { loadOrCreateSecret } from '../lib/secrets.ts';
import { recogniseEngine } from '../postgres/citus/recognise-engine.ts';
import { Database } from '../postgres/client/database.ts';
import { waitForDatabase } from '../postgres/client/wait-for-database.ts';
import { assertMigrated, type Migration } from '../postgres/migrate/apply-migrations.ts';
import { migrateAlone } from '../postgres/migrate/migrate-alone.ts';
import type { UserStore } from '../users/user-store.ts';
import { composeService, type Parts } from './compose.ts';

/** Number of stored hashes to sample: enough to learn which kinds are stored, and how many of each. */
const SAMPLED_HASHES = 256;

/** Connections to the embedded database that are left for psql, migrations and tests. */
const SPARE_CONNECTIONS = 90;

/**
 * Maximum time that bulk work waits for a database connection. A statement of bulk work may take as long, or up to
 * `request_timeout_ms` if that is longer.
 */
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
    const services = { config, logger, version, db, bulkDb, apiKeys };
    const parts = await composeService({ ...services, draining: stopping.signal });
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
    // One more than streams can use, so that one is left for rollbacks and staged users.
    size: config.bulk_import_connections + 1,
    timeoutMs: Math.max(config.request_timeout_ms, BULK_TIMEOUT_MS),
    connectTimeoutMs: BULK_TIMEOUT_MS,
    onIdleError,
  });
  return { db, bulkDb };
}

/**
 * Learns from a sample of stored hashes how long verifying takes, so that the decoy hash of an unknown e-mail takes as
 * long.
 */
async function learnCosts({ store, passwords }: Parts): Promise<void> {
  const { hashes, standFor } = await store.sampleHashes(SAMPLED_HASHES);
  for (const hash of hashes) passwords.learn(hash, standFor);
}

const REQUEST_MS = 5000;

/** Serves `GET /metrics`, and nothing else, on a port of its own and without an API key. */
async function serveMetrics(
  metrics: Metrics,
  { port, host }: { port: number; host: string },
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS },
    (request, response) => {
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      const isKnown = isRead && request.url?.split('?', 1)[0] === '/metrics';
      // The connection is closed after the answer, because a body of the request would not be read.
      response.setHeader('connection', 'close');
      if (!isKnown) return void response.writeHead(404).end();
      response.setHeader('content-type', METRICS_TYPE);
      metrics.text().then(
        (text) => response.end(text),
        () => response.writeHead(500).end(),
      );
    },
  );
  server.listen(port, host);
  await once(server, 'listening');
  const { address, port: bound, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}/metrics`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Step of stopping the service. When `deadline` aborts, the step must end its unfinished work at once. */
export type StopStep = (deadline: AbortSignal) => Promise<void>;

/**
 * Time to end running work after the deadline of a stop, for each stage of steps. Only three stages have such
 * work, so that together they take less than a second.
 */
const CUT_SHORT_MS = 300;

/** Stops the parts of the service in the reverse order of their start, with one deadline for all. */
class Shutdown {
  readonly #timeoutMs: number;
  readonly #onError: (error: unknown) => void;
  readonly #stages: (readonly StopStep[])[] = [];

  constructor(timeoutMs: number, onError: (error: unknown) => void) {
    this.#timeoutMs = timeoutMs;
    this.#onError = onError;
  }

  /** Adds steps that run at the same time, and before the steps that were added earlier. */
  add(...steps: readonly StopStep[]): void {
    this.#stages.push(steps);
  }

  /** Runs all steps. Never throws: errors of steps are reported. */
  async run(): Promise<void> {
    const deadline = AbortSignal.timeout(this.#timeoutMs);
    const passed = new Promise<void>((resolve) => deadline.addEventListener('abort', () => resolve()));
    // The interval keeps the process alive, which the timer of AbortSignal.timeout() does not.
    const alive = setInterval(() => {}, this.#timeoutMs + CUT_SHORT_MS);
    for (const steps of this.#stages.splice(0).reverse()) {
      const taken = Promise.all(steps.map(async (step) => step(deadline).catch(this.#onError)));
      await Promise.race([taken, passed]);
      if (deadline.aborted) await Promise.race([taken, sleep(CUT_SHORT_MS, undefined, { ref: false })]);
    }
    clearInterval(alive);
  }
}

/** Maximum number of users counted for a warning, because counting must not delay the start. */
const COUNTED = 10_000;

/** Logs a warning for each hashing secret that is not configured although users need it to sign in. */
async function warnOfMissingSecrets(
  { store, config }: { store: Pick<UserStore, 'countBySecret'>; config: Config },
  logger: Logger,
): Promise<void> {
  const configured = {
    ids: (config.hashing_secrets ?? []).map(({ id }) => id),
    hasSignerKey: config.external_password_hashing_signer_key !== undefined,
  };
  const missing = await store.countBySecret(configured, COUNTED + 1).catch((error: unknown) => {
    logger.warn({ err: error }, 'could not check whether all secrets that users need are configured');
    return [];
  });
  for (const { id, logins } of missing) {
    const users =
      logins > COUNTED ? `more than ${COUNTED} users` : logins === 1 ? '1 user' : `${logins} users`;
    const what =
      id === undefined
        ? 'external_password_hashing_signer_key is not configured'
        : `hashing_secrets has no entry with the id ${id}`;
    logger.warn({ hashingSecretId: id, users: logins }, `${what}: ${users} cannot sign in without it`);
  }
}

/** Returns the path of the file with the API key that is created beside an embedded database. */
export const apiKeyFile = (databaseDirectory: string) => `${resolve(databaseDirectory)}.api-key`;

/**
 * Returns the API key of an installation. At the first start, it is created and stored beside the embedded database.
 * @throws {Error} if the stored key, perhaps edited by hand, is not a valid API key
 */
export async function keepApiKey(databaseDirectory: string, warn: (text: string) => void): Promise<string> {
  const path = apiKeyFile(databaseDirectory);
  await mkdir(dirname(path), { recursive: true });
  const key = await loadOrCreateSecret(path);
  const problem = settingProblem('api_keys', key);
  if (problem !== undefined) throw new Error(`${path}: ${problem}`);
  for (const warning of weakSecrets({ api_keys: key })) warn(warning);
  if (isOpenToAll(path)) warn(openFile(path));
  return key;
}
