import type { Logger } from 'pino';
import { namedKeys } from '../config/named-keys.ts';
import type { Config } from '../config/schema.ts';
import { buildPasswords } from '../hashing/build-passwords.ts';
import type { Passwords } from '../hashing/passwords.ts';
import { buildApp } from '../http/app.ts';
import type { App, Readiness } from '../http/context.ts';
import { BulkPace } from '../imports/bulk-pace.ts';
import { ImportExpiry } from '../imports/history/import-expiry.ts';
import { StagedWorker } from '../imports/staged/staged-worker.ts';
import { MarkSeal } from '../imports/stream/sealed-marks.ts';
import type { Database } from '../postgres/client/database.ts';
import { createImportStore } from '../postgres/imports/create-import-store.ts';
import { createStagedStore } from '../postgres/staged/create-staged-store.ts';
import { createUserStore } from '../postgres/users/create-user-store.ts';
import { createWeakHashStore } from '../postgres/users/wrap-weak.ts';
import { HashCensus } from '../users/hash-census.ts';
import { HashFingerprints } from '../users/hash-fingerprint.ts';
import { PasswordUpgrades } from '../users/upgrade-password.ts';
import type { UserStore } from '../users/user-store.ts';
import { WeakHashWrapper } from '../users/wrap-weak-hashes.ts';
import { createReadiness } from './readiness.ts';

/** How often each instance looks for staged users that another took in, or had in hand when it died. */
const STAGED_POLL_MS = 5000;

export interface WireOptions {
  config: Config;
  logger: Logger;
  /** Of this software, for the interface description. */
  version: string;
  /** For calls that somebody waits for. */
  db: Database;
  /** For bulk work, which holds its connections long; a call never waits for one of these. */
  bulkDb: Database;
  /** As configured, or kept beside the embedded database. */
  apiKeys: string;
  /** Has a stop begun? */
  isDraining?(): boolean;

  // What only tests and benchmarks have otherwise.

  /** In place of `isDraining` and a look at the database. */
  readiness?: Readiness | undefined;
  now?: (() => number) | undefined;
  /** In place of the store of users. */
  store?: ((real: UserStore) => UserStore) | undefined;
  /** Staged users wait until the worker is told to look. */
  stagedWaits?: boolean | undefined;
}

/** The parts of a service. None of them is at work yet: nothing listens, no worker was started. */
export interface Parts {
  app: App;
  store: UserStore;
  passwords: Passwords;
  census: HashCensus;
  upgrades: PasswordUpgrades;
  wrapper: WeakHashWrapper;
  stagedWorker: StagedWorker;
  expiry: ImportExpiry;
}

/** Makes every part of a service, and puts them together. */
export async function wire(options: WireOptions): Promise<Parts> {
  const { config, logger, version, db, bulkDb, apiKeys, isDraining = () => false, now = Date.now } = options;
  const realStore = createUserStore(db);
  const store = options.store?.(realStore) ?? realStore;
  const imports = createImportStore(db, bulkDb);
  const staged = createStagedStore(db, bulkDb);
  const pace = new BulkPace();
  // The keys alone: naming one must not change which decoy an e-mail gets.
  const secrets = namedKeys(apiKeys).map(({ key }) => key);
  const passwords = buildPasswords(config, secrets.join());
  const census = new HashCensus({ store, registry: passwords.registry, now });
  const fingerprints = new HashFingerprints(secrets);
  const seal = new MarkSeal(secrets);
  const upgrades = new PasswordUpgrades({
    store,
    passwords,
    fingerprints,
    policy: config.password_upgrade,
    onError: (error) => logger.error({ err: error }, 'a password hash could not be upgraded'),
  });
  const wrapper = new WeakHashWrapper({
    hashes: createWeakHashStore(db),
    passwords,
    fingerprints,
    onError: (error) => logger.error({ err: error }, 'weak hashes could not be wrapped'),
    onWrapped: (counts) => logger.info(counts, 'weak hashes were wrapped'),
  });
  const stagedWorker = new StagedWorker({
    staged,
    passwords,
    pace,
    now,
    pollMs: STAGED_POLL_MS,
    onError: (error) => logger.error({ err: error }, 'staged users could not be imported'),
  });
  const expiry = new ImportExpiry({
    imports,
    days: config.import_undo_days,
    onError: (error) => logger.error({ err: error }, 'old imports could not be forgotten'),
  });
  const app = await buildApp({
    store,
    passwords,
    census,
    upgrades,
    fingerprints,
    seal,
    now,
    imports,
    staged,
    pace,
    wakeStagedWorker: () => {
      if (!options.stagedWaits) stagedWorker.wake();
    },
    bulk: {
      maxLineBytes: config.bulk_import_max_line_bytes,
      maxStreams: config.bulk_import_connections,
      idleMs: config.request_timeout_ms,
    },
    apiKeys,
    logger,
    version,
    pageEnabled: config.page_enabled,
    bodyLimitBytes: config.body_limit_bytes,
    requestTimeoutMs: config.request_timeout_ms,
    isDraining,
    readiness: options.readiness ?? createReadiness({ ping: () => store.ping(), isDraining }),
  });
  return { app, store, passwords, census, upgrades, wrapper, stagedWorker, expiry };
}
