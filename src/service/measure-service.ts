import { monitorEventLoopDelay } from 'node:perf_hooks';
import { LOGIN_STATES } from '../hand-over/hand-over-store.ts';
import type { FamilyCounts, Passwords } from '../hashing/passwords.ts';
import type { MovedStore } from '../hooks/moves.ts';
import type { Front } from '../http/context.ts';
import type { LegacyClient } from '../legacy-sign-in/legacy-client.ts';
import type { Metrics, ReadSamples, Sample } from '../lib/metrics.ts';
import type { HashCensus } from '../passwords/hash-census.ts';
import type { PasswordUpgrades } from '../passwords/upgrade-password.ts';
import type { Database } from '../postgres/client/database.ts';

/** Time between two counts of the stored hashes. A count reads every password login. */
const CENSUS_MS = 15 * 60_000;

/** Time between two counts of the newest hand-over's logins. */
const HAND_OVER_MS = 60_000;

const NS_PER_S = 1e9;

export interface MeasuredParts {
  pools: Readonly<Record<string, Database>>;
  passwords: Passwords;
  upgrades: PasswordUpgrades;
  census: HashCensus;
  front: Front | undefined;
  legacyClient: LegacyClient | undefined;
  /** Undefined if no hook about stored users is served. */
  moved: MovedStore | undefined;
  version: string;
  now(): number;
}

/** Registers the metrics of all parts that have none of their own. A scrape never waits for the database. */
export function measureService(metrics: Metrics, parts: MeasuredParts): void {
  const { pools, passwords, upgrades, census, front, legacyClient, moved, version, now } = parts;
  metrics.readGauge('user_import_info', 'Version of the service.', ['version'], () => [
    { labels: { version }, value: 1 },
  ]);
  measureProcess(metrics);
  measurePools(metrics, pools);
  measureGate(metrics, passwords);
  measureUpgrades(metrics, upgrades);
  measureCensus(metrics, census);
  if (legacyClient !== undefined) measureLegacy(metrics, legacyClient);
  if (moved !== undefined) {
    metrics.readGauge(
      'user_import_waiting',
      'Logins with a hash that no hook has matched. The number may be a quarter of an hour old.',
      [],
      counted(async () => [{ value: (await moved.progress()).waiting }], CENSUS_MS, now),
    );
  }
  if (front !== undefined) {
    metrics.readGauge(
      'user_import_hand_over_logins',
      'Number of logins in the newest hand-over, by state. The numbers may be a minute old.',
      ['state'],
      counted(() => countHandedOver(front), HAND_OVER_MS, now),
    );
  }
}

/** Measures the process without prom-client's default metrics, which cannot be stopped together with a service. */
function measureProcess(metrics: Metrics): void {
  metrics.readCounter('process_cpu_seconds_total', 'CPU time of the process.', [], () => {
    const { user, system } = process.cpuUsage();
    return [{ value: (user + system) / 1e6 }];
  });
  metrics.readGauge(
    'process_resident_memory_bytes',
    'Memory of the process, without its hashing processes.',
    [],
    () => [{ value: process.memoryUsage.rss() }],
  );
  metrics.readGauge('nodejs_heap_size_used_bytes', 'Memory in use of the JavaScript heap.', [], () => [
    { value: process.memoryUsage().heapUsed },
  ]);
  metrics.readGauge(
    'process_start_time_seconds',
    'Start of the process, in seconds since the epoch.',
    [],
    () => [{ value: Math.round(performance.timeOrigin) / 1000 }],
  );
  metrics.readGauge(
    'user_import_event_loop_delay_seconds',
    'Delay of the event loop since the last scrape.',
    ['percentile'],
    eventLoopSamples(),
  );
}

/** Measures delays from the first scrape on, so that a service without scrapes has no cost. */
function eventLoopSamples(): ReadSamples {
  let delay: ReturnType<typeof monitorEventLoopDelay> | undefined;
  return () => {
    if (delay === undefined) {
      delay = monitorEventLoopDelay({ resolution: 20 });
      delay.enable();
      return [];
    }
    const samples = [
      { labels: { percentile: '50' }, value: delay.percentile(50) / NS_PER_S },
      { labels: { percentile: '99' }, value: delay.percentile(99) / NS_PER_S },
      { labels: { percentile: '100' }, value: delay.max / NS_PER_S },
    ];
    delay.reset();
    return samples;
  };
}

function measurePools(metrics: Metrics, pools: MeasuredParts['pools']): void {
  const counts = () => Object.entries(pools).map(([pool, db]) => ({ pool, ...db.poolCounts() }));
  metrics.readGauge(
    'user_import_database_connections',
    'Connections to the database, by pool: in use, idle, and the maximum.',
    ['pool', 'state'],
    () =>
      counts().flatMap(({ pool, total, idle, max }) => [
        { labels: { pool, state: 'in_use' }, value: total - idle },
        { labels: { pool, state: 'idle' }, value: idle },
        { labels: { pool, state: 'max' }, value: max },
      ]),
  );
  metrics.readGauge(
    'user_import_database_waiting',
    'Calls that wait for a connection, by pool.',
    ['pool'],
    () => counts().map(({ pool, waiting }) => ({ labels: { pool }, value: waiting })),
  );
}

function measureGate(metrics: Metrics, passwords: Passwords): void {
  const samples = (member: 'running' | 'waiting' | 'started' | 'refused') => () =>
    Object.entries(passwords.gateCounts()).map(([name, counts]) => ({
      labels: { class: name },
      value: counts[member],
    }));
  metrics.readGauge(
    'user_import_hashing_running',
    'Password hashes that are being computed.',
    ['class'],
    samples('running'),
  );
  metrics.readGauge(
    'user_import_hashing_waiting',
    'Password hashes that wait for their turn.',
    ['class'],
    samples('waiting'),
  );
  metrics.readCounter(
    'user_import_hashing_started_total',
    'Password hashes whose computation began.',
    ['class'],
    samples('started'),
  );
  metrics.readCounter(
    'user_import_hashing_refused_total',
    'Password hashes that were refused because too many waited (hashing_queue_limit).',
    ['class'],
    samples('refused'),
  );
  const ofFamilies = (value: (counts: FamilyCounts) => number) => () =>
    [...passwords.familyCounts()].map(([algorithm, counts]) => ({
      labels: { algorithm },
      value: value(counts),
    }));
  metrics.readCounter(
    'user_import_hashing_computed_total',
    'Password hashes that were computed, by family. Background work is not counted.',
    ['algorithm'],
    ofFamilies(({ computed }) => computed),
  );
  metrics.readCounter(
    'user_import_hashing_seconds_total',
    'Time that these password hashes took, without their wait.',
    ['algorithm'],
    ofFamilies(({ ms }) => ms / 1000),
  );
}

function measureLegacy(metrics: Metrics, client: LegacyClient): void {
  metrics.readCounter(
    'user_import_legacy_calls_total',
    'Calls of the legacy system. not_sent: refused by a limit or the circuit breaker.',
    ['type', 'outcome'],
    () =>
      Object.entries(client.counts().calls).flatMap(([type, outcomes]) =>
        Object.entries(outcomes).map(([outcome, value]) => ({ labels: { type, outcome }, value })),
      ),
  );
  metrics.readGauge(
    'user_import_legacy_pending',
    'Calls of the legacy system that run or wait for a connection.',
    [],
    () => [{ value: client.counts().pending }],
  );
  metrics.readGauge(
    'user_import_legacy_breaker_open',
    '1 while the legacy system is left alone, because its calls fail.',
    [],
    () => [{ value: client.counts().isBreakerOpen ? 1 : 0 }],
  );
}

function measureUpgrades(metrics: Metrics, upgrades: PasswordUpgrades): void {
  metrics.readGauge('user_import_upgrades_pending', 'Weak hashes that wait to be replaced.', [], () => [
    { value: upgrades.counts().pending },
  ]);
  metrics.readCounter(
    'user_import_upgrades_total',
    'Replacements of weak hashes after a sign-in, by result.',
    ['result'],
    () => {
      const { stored, failed } = upgrades.counts();
      return [
        { labels: { result: 'stored' }, value: stored },
        { labels: { result: 'failed' }, value: failed },
      ];
    },
  );
}

function measureCensus(metrics: Metrics, census: HashCensus): void {
  const byLabels = (value: 'logins' | 'signedIn') => () =>
    (census.latest(CENSUS_MS)?.groups ?? []).map((group) => ({
      labels: { algorithm: group.algorithm, class: group.strength, set_by: group.setBy },
      value: group[value],
    }));
  const labelNames = ['algorithm', 'class', 'set_by'];
  metrics.readGauge(
    'user_import_census_logins',
    'Password logins, at the latest census.',
    labelNames,
    byLabels('logins'),
  );
  metrics.readGauge(
    'user_import_census_signed_in',
    'Password logins that have signed in since their import, at the latest census.',
    labelNames,
    byLabels('signedIn'),
  );
  metrics.readGauge('user_import_census_time_seconds', 'Time of the latest census.', [], () => {
    const latest = census.latest(CENSUS_MS);
    return latest === undefined ? [] : [{ value: latest.countedAtMs / 1000 }];
  });
}

/** Reads values again, at most once in `everyMs`. The first scrape has none and only starts it. */
function counted(count: () => Promise<Sample[]>, everyMs: number, now: () => number): ReadSamples {
  let samples: Sample[] = [];
  let countedAtMs = Number.NEGATIVE_INFINITY;
  let isCounting = false;
  const read = async () => {
    samples = await count();
  };
  return () => {
    if (!isCounting && now() - countedAtMs > everyMs) {
      isCounting = true;
      // A failed count is ignored, because other metrics show that the database cannot be reached.
      void read()
        .catch(() => {})
        .finally(() => {
          isCounting = false;
          countedAtMs = now();
        });
    }
    return samples;
  };
}

async function countHandedOver({ handOvers }: Front): Promise<Sample[]> {
  const latest = await handOvers.latest();
  if (latest === undefined) return [];
  const counts = await handOvers.counts(latest.handOverId);
  return LOGIN_STATES.map((state) => ({
    labels: { state },
    value: counts.reduce((sum, one) => sum + (one.state === state ? one.logins : 0), 0),
  }));
}
