import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { BalancedInstances } from '../test/faults/balanced-instances.ts';
import { MixedLoad } from '../test/faults/mixed-load.ts';
import { installed } from '../test/support/installed.ts';
import { PgBouncer } from '../test/support/pgbouncer.ts';
import { startCompiledService } from './compiled.ts';
import { API_KEY, HASHES } from './fixtures.ts';
import { ToolRun } from './import-stage.ts';
import { milliseconds, type Row } from './report.ts';

const CONNECTIONS = 64;
const ROLLS = 3;
const ROWS = 300_000;
const STANDING_MS = 10_000;
/** Delay that docker/haproxy.cfg requires. */
const DELAY_MS = 3000;
/** Connections of the database role. Three instances would use 45. */
const FEW = 20;

interface Scenario {
  what: string;
  delayMs: number;
  signal?: NodeJS.Signals;
  /** Maximum number of connections to Postgres. */
  limit?: number;
  /**
   * Maximum number of PgBouncer's connections to Postgres, if not as in docker/pgbouncer.ini. 0 runs without
   * PgBouncer.
   */
  pooled?: number;
  /** Whether the command line imports a file meanwhile. */
  imports?: boolean;
  /** Whether no instance is restarted, because there would be no connection left for its start. */
  standing?: boolean;
  /** Whether failed requests miss the aim. Otherwise they are only counted. */
  aims: boolean;
}

const SCENARIOS: readonly Scenario[] = [
  { what: 'stopped and started', delayMs: DELAY_MS, aims: true },
  { what: 'stopped and started, beside a bulk import', delayMs: DELAY_MS, imports: true, aims: true },
  {
    what: `stopped and started, PgBouncer with ${FEW} connections`,
    delayMs: DELAY_MS,
    limit: FEW,
    pooled: FEW,
    aims: true,
  },
  {
    what: `left alone, Postgres with ${FEW} connections and no PgBouncer`,
    delayMs: DELAY_MS,
    limit: FEW,
    pooled: 0,
    standing: true,
    aims: false,
  },
  { what: 'stopped and started, without shutdown_delay_ms', delayMs: 0, aims: false },
  { what: 'killed and started', delayMs: DELAY_MS, signal: 'SIGKILL', aims: false },
];

/**
 * Restarts each of three instances behind HAProxy three times under load, and counts failed requests.
 * Requires a build.
 */
export async function benchRolling(uri: string, directory: string): Promise<Row[]> {
  const [haproxy, pgbouncer] = [installed('haproxy'), installed('pgbouncer')];
  if (haproxy === undefined || pgbouncer === undefined) {
    console.log('rolling: needs haproxy and pgbouncer (Debian: apt-get install haproxy pgbouncer), skipped');
    return [];
  }
  const rows: Row[] = [];
  for (const [index, scenario] of SCENARIOS.entries()) {
    const database = await createDatabase(uri, `rolling_${index}`, scenario.limit);
    const { pooled } = scenario;
    const settings = pooled === undefined ? [] : [`default_pool_size = ${pooled}`];
    const pooler = pooled === 0 ? undefined : await PgBouncer.start(pgbouncer, database, settings);
    const instances = await BalancedInstances.start(haproxy, (host, port) =>
      startCompiledService(
        {
          POSTGRESQL_CONNECTION_URI: pooler?.uri(database) ?? database,
          HOST: host,
          PORT: String(port),
          API_KEYS: API_KEY,
          SHUTDOWN_DELAY_MS: String(scenario.delayMs),
        },
        'inherit',
      ),
    );
    try {
      rows.push(...(await measure(instances, scenario, directory)));
    } finally {
      await instances.close();
      await pooler?.stop();
    }
  }
  return rows;
}

async function measure(instances: BalancedInstances, scenario: Scenario, directory: string): Promise<Row[]> {
  const load = new MixedLoad(instances.url, API_KEY, CONNECTIONS);
  const tool = scenario.imports ? await runTool(instances.url, directory) : undefined;
  await sleep(2000);
  const startMs = performance.now();
  if (scenario.standing) await sleep(STANDING_MS);
  else for (let roll = 0; roll < ROLLS; roll += 1) await instances.roll(scenario.signal);
  const seconds = (performance.now() - startMs) / 1000;
  await load.stop();
  const { requests, failures, longestMs } = load;
  const kinds = new Map<string, number>();
  for (const { call, what } of failures)
    kinds.set(`${call}: ${what}`, (kinds.get(`${call}: ${what}`) ?? 0) + 1);
  console.log(
    `instances ${scenario.what}: ${failures.length} of ${requests} requests failed, the longest took ${milliseconds(longestMs)}; ${seconds.toFixed(0)} s`,
  );
  for (const [kind, count] of kinds) console.log(`  ${count} × ${kind}`);
  const rows: Row[] = scenario.aims
    ? [
        {
          what: `instances ${scenario.what}: failed requests`,
          measured: String(failures.length),
          limit: `of ${requests}`,
          ratio: failures.length / requests,
          aim: '0',
          met: failures.length === 0,
        },
      ]
    : [];
  if (tool !== undefined) rows.push(await resultOf(tool));
  return rows;
}

async function runTool(url: string, directory: string): Promise<ToolRun> {
  const lines = Array.from(
    { length: ROWS },
    (_, index) => `u${index},file-${index}@example.net,${HASHES.bcrypt}\n`,
  );
  await writeFile(join(directory, 'rolling.csv'), `id,email,hash\n${lines.join('')}`);
  return new ToolRun(['import', 'rolling.csv', '--url', url, '--yes', '--json'], { cwd: directory });
}

async function resultOf(tool: ToolRun): Promise<Row> {
  const { code, stdout, stderr, ms } = await tool.ended;
  const { created } = code === 0 ? JSON.parse(stdout) : { created: 0 };
  console.log(
    `  the import: ${created} users of ${ROWS} rows in ${(ms / 1000).toFixed(0)} s; it said: ${stderr.trim()}`,
  );
  return {
    what: 'the bulk import meanwhile: users',
    measured: String(created),
    limit: `rows: ${ROWS}`,
    ratio: created / ROWS,
    aim: '1',
    met: created === ROWS,
  };
}

/** Creates a database with its own role, which has a connection limit. Administrators have no limit. */
export async function createDatabase(uri: string, name: string, limit = -1): Promise<string> {
  const client = new pg.Client(uri);
  await client.connect();
  await client.query(`create role ${name} login password '${name}' connection limit ${limit}`);
  await client.query(`create database ${name} owner ${name}`);
  await client.end();
  const url = new URL(uri);
  url.username = name;
  url.password = name;
  url.pathname = name;
  return url.href;
}
