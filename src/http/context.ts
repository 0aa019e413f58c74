import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { FollowDeps } from '../hand-over/follow-core.ts';
import type { HandOverStore } from '../hand-over/hand-over-store.ts';
import type { HandOverWorker } from '../hand-over/hand-over-worker.ts';
import type { FrontDeps } from '../hand-over/sign-in-in-front.ts';
import type { StartDeps } from '../hand-over/start-hand-over.ts';
import type { Passwords } from '../hashing/passwords.ts';
import type { Hook, MovedStore } from '../hooks/moves.ts';
import type { PasswordHooks } from '../hooks/password-hooks.ts';
import type { Rehearsal } from '../hooks/rehearsal.ts';
import type { BulkPace } from '../imports/bulk-pace.ts';
import type { ImportStore } from '../imports/import-store.ts';
import type { StagedStore } from '../imports/staged/staged-store.ts';
import type { MarkSeal } from '../imports/stream/line-marks.ts';
import type { ImportBeginner } from '../imports/stream/run-import.ts';
import type { StreamMeter } from '../imports/stream/stream-meter.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { HashCensus } from '../passwords/hash-census.ts';
import type { HashFingerprints } from '../passwords/hash-fingerprint.ts';
import type { PasswordUpgrades } from '../passwords/upgrade-password.ts';
import type { CoreConnection } from '../upstream/core-connection.ts';
import type { LegacyUsers } from '../users/address-owner.ts';
import type { ExportStore } from '../users/export-users.ts';
import type { FactorVault } from '../users/factor-vault.ts';
import type { UserStore } from '../users/user-store.ts';

export interface RouteDeps {
  store: UserStore;
  passwords: Passwords;
  census: HashCensus;
  upgrades: Pick<PasswordUpgrades, 'offer'>;
  fingerprints: HashFingerprints;
  vault: FactorVault;
  seal: MarkSeal;
  /** Milliseconds since the epoch. */
  now(): number;
  metrics: Metrics;
  streamMeter: StreamMeter;
  imports: ImportStore;
  beginner: ImportBeginner;
  staged: StagedStore;
  exports: ExportStore;
  /** Slows bulk work such as imports down while HTTP calls are answered (docs/adr/0015-bulk-pace.md). */
  pace: BulkPace;
  wakeStagedWorker(): void;
  /** Whether the page /imports is served. */
  pageEnabled: boolean;
  bulk: BulkLimits;
  readiness: Readiness;
  handOvers: HandOverStore;
  hooks: PasswordHooks;
  moved: MovedStore;
  rehearsal: Rehearsal;
  servedHooks: ReadonlySet<Hook>;
  /**
   * Data that hooks may tell a provider. `served`: the profile of a user before a password was verified. `factors`:
   * TOTP secrets.
   */
  hookProfiles: { served: boolean; factors: boolean };
  /** The former system, which verifies passwords of users without a hash. Undefined if none is configured. */
  legacy?: LegacyUsers | undefined;
  /** Undefined if no core is configured. */
  front?: Front | undefined;
}

export interface Front extends FrontDeps, FollowDeps, StartDeps {
  users: UserStore;
  connection: CoreConnection;
  worker: HandOverWorker;
}

/** Returns the reason why this instance should receive no traffic; undefined if it is ready. */
export type Readiness = () => Promise<'draining' | 'database' | undefined>;

export interface BulkLimits {
  maxLineBytes: number;
  /** Maximum number of import streams at the same time, and also of requests that stage users. */
  maxStreams: number;
  /** Maximum number of exports at the same time. Each holds one of the database connections for bulk work. */
  maxExports: number;
  /** Maximum minutes that an export may hold its database snapshot. */
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
