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
  const connections = () => Object.entries(pools).map(([pool, db]) => ({ pool, ...db.poolCounts() }));
  const gate = (member: 'running' | 'waiting' | 'started' | 'refused') => () =>
    Object.entries(passwords.gateCounts()).map(([name, counts]): Sample => [name, counts[member]]);
  const families = (value: (counts: FamilyCounts) => number) => () =>
    [...passwords.familyCounts()].map(([algorithm, counts]): Sample => [algorithm, value(counts)]);
  const groups = (value: 'logins' | 'signedIn') => () =>
    (census.latest(CENSUS_MS)?.groups ?? []).map(
      (group): Sample => [group.algorithm, group.strength, group.setBy, group[value]],
    );
  const rows: Record<string, [help: string, read: ReadSamples]> = {
    'user_import_info{version}': ['Version of the service.', () => [[version, 1]]],
    // prom-client's default metrics are not used, because they cannot be stopped together with a service.
    process_cpu_seconds_total: ['CPU time of the process.', () => [[cpuSeconds()]]],
    process_resident_memory_bytes: [
      'Memory of the process, without its hashing processes.',
      () => [[process.memoryUsage.rss()]],
    ],
    nodejs_heap_size_used_bytes: [
      'Memory in use of the JavaScript heap.',
      () => [[process.memoryUsage().heapUsed]],
    ],
    process_start_time_seconds: [
      'Start of the process, in seconds since the epoch.',
      () => [[Math.round(performance.timeOrigin) / 1000]],
    ],
    'user_import_event_loop_delay_seconds{percentile}': [
      'Delay of the event loop since the last scrape.',
      eventLoopSamples(),
    ],
    'user_import_database_connections{pool,state}': [
      'Connections to the database, by pool: in use, idle, and the maximum.',
      () =>
        connections().flatMap(({ pool, total, idle, max }): Sample[] => [
          [pool, 'in_use', total - idle],
          [pool, 'idle', idle],
          [pool, 'max', max],
        ]),
    ],
    'user_import_database_waiting{pool}': [
      'Calls that wait for a connection, by pool.',
      () => connections().map(({ pool, waiting }) => [pool, waiting]),
    ],
    'user_import_hashing_running{class}': ['Password hashes that are being computed.', gate('running')],
    'user_import_hashing_waiting{class}': ['Password hashes that wait for their turn.', gate('waiting')],
    'user_import_hashing_started_total{class}': ['Password hashes whose computation began.', gate('started')],
    'user_import_hashing_refused_total{class}': [
      'Password hashes that were refused because too many waited (hashing_queue_limit).',
      gate('refused'),
    ],
    'user_import_hashing_computed_total{algorithm}': [
      'Password hashes that were computed, by family. Background work is not counted.',
      families(({ computed }) => computed),
    ],
    'user_import_hashing_seconds_total{algorithm}': [
      'Time that these password hashes took, without their wait.',
      families(({ ms }) => ms / 1000),
    ],
    user_import_upgrades_pending: [
      'Weak hashes that wait to be replaced.',
      () => [[upgrades.counts().pending]],
    ],
    'user_import_upgrades_total{result}': [
      'Replacements of weak hashes after a sign-in, by result.',
      () => (['stored', 'failed'] as const).map((result) => [result, upgrades.counts()[result]]),
    ],
    'user_import_census_logins{algorithm,class,set_by}': [
      'Password logins, at the latest census.',
      groups('logins'),
    ],
    'user_import_census_signed_in{algorithm,class,set_by}': [
      'Password logins that have signed in since their import, at the latest census.',
      groups('signedIn'),
    ],
    user_import_census_time_seconds: [
      'Time of the latest census.',
      () =>
        [census.latest(CENSUS_MS)].flatMap((latest): Sample[] =>
          latest ? [[latest.countedAtMs / 1000]] : [],
        ),
    ],
    ...(legacyClient && legacyRows(legacyClient)),
    ...(moved && {
      user_import_waiting: [
        'Logins with a hash that no hook has matched. The number may be a quarter of an hour old.',
        counted(async () => [[(await moved.progress()).waiting]], CENSUS_MS, now),
      ],
    }),
    ...(front && {
      'user_import_hand_over_logins{state}': [
        'Number of logins in the newest hand-over, by state. The numbers may be a minute old.',
        counted(() => countHandedOver(front), HAND_OVER_MS, now),
      ],
    }),
  };
  for (const [metric, [help, read]] of Object.entries(rows)) metrics.read(metric, help, read);
}

const legacyRows = (client: LegacyClient): Record<string, [help: string, read: ReadSamples]> => ({
  'user_import_legacy_calls_total{type,outcome}': [
    'Calls of the legacy system. unclear: it cannot judge the user at the moment. not_sent: refused by a limit or the circuit breaker.',
    () =>
      Object.entries(client.counts().calls).flatMap(([type, outcomes]) =>
        Object.entries(outcomes).map(([outcome, value]): Sample => [type, outcome, value]),
      ),
  ],
  user_import_legacy_pending: [
    'Calls of the legacy system that run or wait for a connection.',
    () => [[client.counts().pending]],
  ],
  user_import_legacy_breaker_open: [
    '1 while the legacy system is left alone, because its calls fail.',
    () => [[client.counts().isBreakerOpen ? 1 : 0]],
  ],
});

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
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
    const samples: Sample[] = [
      ['50', delay.percentile(50) / NS_PER_S],
      ['99', delay.percentile(99) / NS_PER_S],
      ['100', delay.max / NS_PER_S],
    ];
    delay.reset();
    return samples;
  };
}

/**
 * Returns a reader of values that need a slow query. A scrape gets the latest values at once, and starts a new query at
 * most once in `everyMs`. The first scrape gets no values.
 */
function counted(count: () => Promise<Sample[]>, everyMs: number, now: () => number): ReadSamples {
  let samples: Sample[] = [];
  let nextMs = Number.NEGATIVE_INFINITY;
  const read = async () => {
    nextMs = Number.POSITIVE_INFINITY;
    // A failed count is ignored, because other metrics show that the database cannot be reached.
    samples = await count().catch(() => samples);
    nextMs = now() + everyMs;
  };
  return () => {
    if (now() > nextMs) void read();
    return samples;
  };
}

async function countHandedOver({ handOvers }: Front): Promise<Sample[]> {
  const latest = await handOvers.latest();
  if (latest === undefined) return [];
  const counts = await handOvers.counts(latest.handOverId);
  return LOGIN_STATES.map((state) => [
    state,
    counts.reduce((sum, one) => sum + (one.state === state ? one.logins : 0), 0),
  ]);
}
