import type { Logger } from 'pino';
import type { ApiKey } from '../config/api-keys.ts';

import type { Config } from '../config/schema.ts';
import { hooksOf } from '../config/settings-in-conflict.ts';
import type { HandOverStore } from '../hand-over/hand-over-store.ts';
import { type HandOverBounds, HandOverWorker } from '../hand-over/hand-over-worker.ts';
import { PLACEHOLDER_COST } from '../hand-over/placeholder.ts';
import { buildPasswords } from '../hashing/build-passwords.ts';
import type { Passwords } from '../hashing/passwords.ts';
import { newHashMaker } from '../hashing/registry.ts';
import { movesUsers } from '../hooks/moves.ts';
import { PasswordHooks } from '../hooks/password-hooks.ts';
import { Rehearsal } from '../hooks/rehearsal.ts';
import { buildApp } from '../http/app.ts';
import type { Front, Readiness } from '../http/context.ts';
import { ApiKeys } from '../http/server/route-checks.ts';
import { BulkPace } from '../imports/bulk-pace.ts';
import { createExpiry } from '../imports/import-history.ts';
import { createStagedWorker } from '../imports/staged/import-new-users.ts';
import { MarkSeal } from '../imports/stream/line-marks.ts';
import { ImportBeginner } from '../imports/stream/run-import.ts';
import { StreamMeter } from '../imports/stream/stream-meter.ts';
import { LegacyClient } from '../legacy-sign-in/legacy-client.ts';
import { LegacySignIn } from '../legacy-sign-in/legacy-sign-in.ts';
import { Metrics } from '../lib/metrics.ts';
import { HashCensus } from '../passwords/hash-census.ts';
import { HashFingerprints } from '../passwords/hash-fingerprint.ts';
import { PasswordUpgrades } from '../passwords/upgrade-password.ts';
import { WeakHashWrapper } from '../passwords/wrap-weak-hashes.ts';
import type { Database } from '../postgres/client/database.ts';
import { createHandOverStore } from '../postgres/hand-over/create-hand-over-store.ts';
import { createMovedStore } from '../postgres/hooks/create-moved-store.ts';
import { createImportStore } from '../postgres/imports/create-import-store.ts';
import { createStagedStore } from '../postgres/staged/create-staged-store.ts';
import { createExportStore } from '../postgres/users/create-export-store.ts';
import { createUserStore } from '../postgres/users/create-user-store.ts';
import { createWeakHashStore } from '../postgres/users/wrap-weak.ts';
import { CoreCalls } from '../upstream/core-calls.ts';
import { CoreConnection } from '../upstream/core-connection.ts';
import type { LegacyUsers } from '../users/address-owner.ts';
import { FactorVault } from '../users/factor-vault.ts';
import type { UserStore } from '../users/user-store.ts';
import { measureService } from './measure-service.ts';

/** Time between two polls for staged users that another instance accepted, or left when it crashed. */
const STAGED_POLL_MS = 5000;

/** Time between two polls for a hand-over that has stopped advancing, or that another instance has begun. */
const HAND_OVER_POLL_MS = 2000;

/** Maximum number of exports at once. Each occupies a database connection that imports need as well. */
const MAX_EXPORTS = 1;

export interface ComposeOptions {
  config: Config;
  logger: Logger;
  version: string;
  /** Database connections for calls that somebody waits for. */
  db: Database;
  /** Database connections for bulk work, which occupies them for long. Other calls do not use them. */
  bulkDb: Database;
  apiKeys: readonly ApiKey[];
  /** Aborted once the service is stopping. */
  draining?: AbortSignal;

  // The following options are for tests and benchmarks only.

  readiness?: Readiness | undefined;
  now?: (() => number) | undefined;
  store?: ((real: UserStore) => UserStore) | undefined;
  handOverBounds?: Partial<HandOverBounds> | undefined;
  placeholderCost?: number | undefined;
  /** Whether staged users wait for the next round of the worker, rather than being imported at once. */
  stagedWaits?: boolean | undefined;
}

/** Parts of a service, built but not running. */
export type Parts = Awaited<ReturnType<typeof composeService>>;

export async function composeService(options: ComposeOptions) {
  const { config, logger, version, db, bulkDb, apiKeys, now = Date.now } = options;
  const draining = options.draining ?? new AbortController().signal;
  const realStore = createUserStore(db);
  const store = options.store?.(realStore) ?? realStore;
  const imports = createImportStore(db, bulkDb);
  const staged = createStagedStore(db, bulkDb);
  const pace = new BulkPace();
  const metrics = new Metrics();
  // The names of the API keys are left out: naming a key must not change which decoy hash an e-mail gets.
  const secrets = secretsOf(apiKeys);
  const passwords = buildPasswords(config, secrets.join());
  const census = new HashCensus({ store, registry: passwords.registry, now });
  const fingerprints = new HashFingerprints(secrets);
  const seal = new MarkSeal(secrets);
  const keys = new ApiKeys(apiKeys);
  const vault = new FactorVault(config.factors_secret);
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
  const stagedWorker = createStagedWorker({
    staged,
    passwords,
    vault,
    pace,
    now,
    pollMs: STAGED_POLL_MS,
    onError: (error) => logger.error({ err: error }, 'staged users could not be imported'),
  });
  const moved = createMovedStore(db);
  const servedHooks = new Set(hooksOf(config));
  const expiry = createExpiry({
    imports,
    days: config.import_undo_days,
    expireMoved: servedHooks.size === 0 ? undefined : () => moved.expire(config.password_hooks_keep_days),
    onError: (error) => logger.error({ err: error }, 'expired imports could not be deleted'),
  });
  const handOvers = createHandOverStore(db);
  const legacyClient = buildLegacyClient({ config, logger, now });
  const legacy =
    legacyClient &&
    new LegacySignIn({
      ...{ client: legacyClient, store, staged, passwords, vault, now },
      askedAbout: config.legacy_signin_for === 'unknown' ? 'unknown' : 'waiting',
      followUntilMs: startOf(config.legacy_signin_follow_until),
    });
  const front = buildFront({ ...options, store, handOvers, passwords, vault, legacy });
  measureService(metrics, {
    pools: { requests: db, bulk: bulkDb },
    ...{ passwords, upgrades, census, front, legacyClient, version, now },
    moved: [...servedHooks].some(movesUsers) ? moved : undefined,
  });
  const hooks = new PasswordHooks(
    { store, moved, passwords, metrics, now },
    {
      untilMs: startOf(config.password_hooks_until),
      timeoutMs: config.password_hooks_timeout_ms,
      keepDays: config.password_hooks_keep_days,
    },
  );
  const rehearsal = new Rehearsal({
    ...{ store, moved, passwords, now },
    onError: (error) => logger.debug({ err: error }, 'a sign-in could not be rehearsed'),
  });
  const app = await buildApp({
    hooks,
    rehearsal,
    moved,
    hookProfiles: { served: config.password_hooks_profiles, factors: config.password_hooks_factors },
    servedHooks,
    handOvers,
    front,
    legacy,
    store,
    passwords,
    census,
    upgrades,
    fingerprints,
    seal,
    vault,
    now,
    metrics,
    streamMeter: new StreamMeter(metrics),
    imports,
    beginner: new ImportBeginner(imports),
    staged,
    exports: createExportStore(db, bulkDb),
    pace,
    wakeStagedWorker: () => {
      if (!options.stagedWaits) stagedWorker.wake();
    },
    bulk: {
      maxLineBytes: config.bulk_import_max_line_bytes,
      maxStreams: config.bulk_import_connections,
      maxExports: MAX_EXPORTS,
      exportMinutes: config.export_max_minutes,
      idleMs: config.request_timeout_ms,
    },
    keys,
    logger,
    version,
    pageEnabled: config.page_enabled,
    bodyLimitBytes: config.body_limit_bytes,
    requestTimeoutMs: config.request_timeout_ms,
    draining,
    readiness: options.readiness ?? createReadiness({ ping: () => store.ping(), draining }),
  });
  /** Replaces the API keys, and everything derived from them, such as encryption keys. */
  const useKeys = (newKeys: readonly ApiKey[]): void => {
    const newSecrets = secretsOf(newKeys);
    keys.replace(newKeys);
    passwords.useDecoySecret(newSecrets.join());
    fingerprints.useSecrets(newSecrets);
    seal.useSecrets(newSecrets);
  };
  return {
    app,
    metrics,
    store,
    passwords,
    census,
    upgrades,
    wrapper,
    stagedWorker,
    expiry,
    front,
    legacyClient,
    useKeys,
  };
}

function buildLegacyClient({
  config,
  logger,
  now,
}: Pick<ComposeOptions, 'config' | 'logger'> & { now(): number }): LegacyClient | undefined {
  const { legacy_signin_url: url, legacy_signin_secret: secret } = config;
  if (config.legacy_signin_for === 'off' || url === undefined || secret === undefined) return undefined;
  return new LegacyClient({
    url: new URL(url),
    secret,
    timeoutMs: config.legacy_signin_timeout_ms,
    allowsPrivate: config.legacy_signin_private_addresses,
    now,
    log: {
      fault: (reason) => logger.warn({ reason }, 'the legacy system did not answer a sign-in'),
      refused: (reason) =>
        logger.info(
          { reason },
          'the legacy system refuses this user whatever the password is, so the sign-in is refused',
        ),
      opened: (reason) =>
        logger.error(
          { reason },
          'the legacy system fails: no calls are made for a while, and first sign-ins get 503 until it answers again',
        ),
      closed: () => logger.info('the legacy system answers again'),
    },
  });
}

/** Returns the milliseconds since the epoch at which a day begins in UTC. */
const startOf = (day: string | undefined) => (day === undefined ? undefined : Date.parse(day));

const secretsOf = (keys: readonly ApiKey[]) => keys.map(({ secret }) => secret);

/** Builds the parts that work in front of a SuperTokens core. */
function buildFront({
  config,
  logger,
  store,
  handOvers,
  passwords,
  vault,
  handOverBounds,
  placeholderCost = PLACEHOLDER_COST,
  legacy,
}: Pick<ComposeOptions, 'config' | 'logger' | 'handOverBounds' | 'placeholderCost'> & {
  store: UserStore;
  handOvers: HandOverStore;
  passwords: Passwords;
  vault: FactorVault;
  legacy: LegacyUsers | undefined;
}): Front | undefined {
  if (config.upstream_core_uri === undefined) return undefined;
  const connection = new CoreConnection({
    uri: config.upstream_core_uri,
    apiKey: config.upstream_core_api_key,
    timeoutMs: config.request_timeout_ms,
  });
  const core = new CoreCalls(connection);
  const secret = config.hand_over_secret;
  const placeholders = newHashMaker(
    { algorithm: 'bcrypt', settings: { bcrypt_log_rounds: placeholderCost } },
    passwords.registry,
  );
  const worker = new HandOverWorker({
    store: handOvers,
    core,
    vault,
    secret,
    hashPlaceholder: async (password) => (await placeholders.make(Buffer.from(password))).encoded,
    removeLogin: (recipeUserId) => store.removeUser(recipeUserId, 'login-method'),
    pollMs: HAND_OVER_POLL_MS,
    bounds: handOverBounds,
    onError: (error) => logger.error({ err: error }, 'the hand-over stands still'),
  });
  return { connection, core, vault, secret, worker, handOvers, users: store, passwords, legacy };
}

/** Time for which a probe's result is reused. Load balancers probe about once a second. */
const REUSE_MS = 1000;

/**
 * Returns the readiness probe. Anybody may call it without an API key, so all callers share one query of the
 * database. Whether the service is stopping is never cached.
 * @param ping rejects if the database does not answer
 * @param now milliseconds of a clock that never goes back
 */
export function createReadiness({
  ping,
  draining,
  now = () => performance.now(),
}: {
  ping(): Promise<void>;
  draining: AbortSignal;
  now?(): number;
}): Readiness {
  let probe: { result: ReturnType<Readiness>; expiresAt: number } | undefined;
  const startProbe = () => {
    const started = {
      result: ping().then(
        () => undefined,
        () => 'database' as const,
      ),
      expiresAt: Number.POSITIVE_INFINITY,
    };
    void started.result.then(() => {
      started.expiresAt = now() + REUSE_MS;
    });
    return started;
  };
  return async () => {
    if (draining.aborted) return 'draining';
    if (probe === undefined || now() >= probe.expiresAt) probe = startProbe();
    const result = await probe.result;
    return draining.aborted ? 'draining' : result;
  };
}
