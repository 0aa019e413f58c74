import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { FollowDeps } from '../hand-over/follow-core.ts';
import type { HandOverStore } from '../hand-over/hand-over-store.ts';
import type { HandOverWorker } from '../hand-over/hand-over-worker.ts';
import type { FrontDeps } from '../hand-over/sign-in-in-front.ts';
import type { StartDeps } from '../hand-over/start-hand-over.ts';
import type { Passwords } from '../hashing/passwords.ts';
import type { BulkPace } from '../imports/bulk-pace.ts';
import type { ImportStore } from '../imports/import-store.ts';
import type { StagedStore } from '../imports/staged/staged-store.ts';
import type { MarkSeal } from '../imports/stream/sealed-marks.ts';
import type { StreamMeter } from '../imports/stream/stream-meter.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { HashCensus } from '../passwords/hash-census.ts';
import type { HashFingerprints } from '../passwords/hash-fingerprint.ts';
import type { PasswordUpgrades } from '../passwords/upgrade-password.ts';
import type { CoreConnection } from '../upstream/core-connection.ts';
import type { ExportStore } from '../users/export-users.ts';
import type { FactorVault } from '../users/factor-vault.ts';
import type { LegacyUsers } from '../users/legacy-users.ts';
import type { UserStore } from '../users/user-store.ts';

/** Parts of the service that the handlers of HTTP routes use. */
export interface RouteDeps {
  store: UserStore;
  passwords: Passwords;
  census: HashCensus;
  upgrades: Pick<PasswordUpgrades, 'offer'>;
  fingerprints: HashFingerprints;
  /** Encrypts TOTP devices, roles and phone numbers of users. */
  vault: FactorVault;
  seal: MarkSeal;
  /** Returns the current time in milliseconds since the epoch. */
  now(): number;
  metrics: Metrics;
  streamMeter: StreamMeter;
  imports: ImportStore;
  staged: StagedStore;
  exports: ExportStore;
  /**
   * Counts HTTP calls in progress, so that bulk work such as imports slows down while calls are answered
   * (docs/adr/0015-bulk-pace.md).
   */
  pace: BulkPace;
  /** Wakes the worker that imports staged users in the background, so that it looks for new ones now. */
  wakeStagedWorker(): void;
  bulk: BulkLimits;
  readiness: Readiness;
  handOvers: HandOverStore;
  /**
   * Calls of the legacy system, which verifies passwords of users without a hash. Undefined if none is
   * configured.
   */
  legacy?: LegacyUsers | undefined;
  /** Parts for working in front of a SuperTokens core. Undefined if no core is configured. */
  front?: Front | undefined;
}

/** Parts that the service needs in front of a SuperTokens core. */
export interface Front extends FrontDeps, FollowDeps, StartDeps {
  users: UserStore;
  connection: CoreConnection;
  worker: HandOverWorker;
}

/** Returns the reason why this instance should receive no traffic; undefined if it is ready. */
export type Readiness = () => Promise<'draining' | 'database' | undefined>;

export interface BulkLimits {
  /** Maximum number of bytes of a line of an import stream. */
  maxLineBytes: number;
  /**
   * Maximum number of import streams at the same time, and also of requests at the same time that stage users
   * for an import in the background.
   */
  maxStreams: number;
  /** Maximum number of exports at the same time. Each holds one of the database connections for bulk work. */
  maxExports: number;
  /** Maximum minutes that an export of users may hold its database snapshot. */
  exportMinutes: number;
  /** Maximum milliseconds without a byte from the sender of an import stream. */
  idleMs: number;
}

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;
