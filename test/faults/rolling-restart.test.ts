import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { until } from '../../src/lib/async/until.ts';
import { API_KEY } from '../support/app.ts';
import { useServices } from '../support/compiled-service.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { installed } from '../support/installed.ts';
import { PgBouncer } from '../support/pgbouncer.ts';
import { rowsOf } from '../support/rows-of.ts';
import { WITH_ALL_TABLES } from '../support/with-all-tables.ts';
import { BalancedInstances } from './balanced-instances.ts';
import { MixedLoad } from './mixed-load.ts';
import { waitForRows } from './postgres.ts';

const CONNECTIONS = 24;
/** Pause of each caller, so that the instances that start are not starved by the load. */
const PAUSE_MS = 100;
const ROWS = 30_000;
const STOPS = 2;
const LINES_COMMITTED = 'select coalesce(sum(lines), 0)::int as lines from import_chunks';
const BCRYPT = '$2a$10$KwBCUpZQPBObDVE4SuTLtukI.XMW9g4AU.7xkMPvKPOQckh7hN0J2';

const [haproxy, pgbouncer] = [installed('haproxy'), installed('pgbouncer')];
const isMissing = haproxy === undefined || pgbouncer === undefined;
if (isMissing)
  process.stderr.write('haproxy or pgbouncer is not installed: tests of several instances are skipped\n');

it.skipIf(process.env.CI !== 'true')(
  'HAProxy and PgBouncer are installed in CI, where no test may be skipped',
  () => {
    expect([haproxy, pgbouncer]).not.toContain(undefined);
  },
);

describe.skipIf(isMissing)('three instances behind HAProxy and PgBouncer', () => {
  const services = useServices();
  let pooler: PgBouncer;
  let database: TestDatabase;
  let instances: BalancedInstances;
  let delayMs = 3000;
  beforeAll(async () => {
    database = await createTestDatabase();
    pooler = await PgBouncer.start(pgbouncer ?? '', inject('postgres').uri);
    instances = await BalancedInstances.start(haproxy ?? '', async (host, port) => {
      const settings = { HOST: host, PORT: String(port), SHUTDOWN_DELAY_MS: String(delayMs) };
      const service = services.startOn(pooler.uri(database.uri), settings);
      await service.ready();
      return service;
    });
  });
  afterAll(async () => {
    await instances.close();
    await pooler.stop();
    await database.drop();
  });

  it('fail no request while they restart one after the other', { timeout: 120_000 }, async () => {
    // The instances that replace the first ones stop sooner than HAProxy notices, so that the next test can stop them
    // while most of its file is left.
    delayMs = 100;
    const load = new MixedLoad(instances.url, API_KEY, CONNECTIONS, { pauseMs: PAUSE_MS });
    await until(() => load.requests >= 500, 20_000);
    await instances.roll();
    await load.stop();
    expect(load.failures).toEqual([]);
    expect(load.requests).toBeGreaterThan(500);
    const emails = await rowsOf<{ email: string }>(
      database.uri,
      'select email from password_logins order by 1',
    );
    expect(emails.map(({ email }) => email)).toEqual(load.imported.sort());
    const identities = await rowsOf<{ id: string }>(
      database.uri,
      'select third_party_user_id as id from third_party_logins order by 1',
    );
    expect(identities.map(({ id }) => id)).toEqual(load.created.sort());
  });

  it('import a file with each line once, although the instance that handles it restarts repeatedly', {
    timeout: 120_000,
  }, async () => {
    const tool = runTool(instances.url);
    let stops = 0;
    let furthest = 0;
    while (!tool.isOver() && stops < STOPS) {
      let at = -1;
      await waitForRows<{ lines: number }>(
        database.uri,
        LINES_COMMITTED,
        async ([{ lines } = { lines: 0 }]) => {
          if (lines > furthest)
            at = (await instances.balancer.states()).findIndex(({ requests }) => requests > 0);
          if (at !== -1) furthest = lines;
          return at !== -1 || tool.isOver();
        },
      );
      if (at === -1) break;
      await instances.restart(at);
      stops += 1;
    }
    const { code, stdout, stderr, report } = await tool.ended;
    // The reason is SHUTTING_DOWN or a broken connection: the answer may be lost while the client still sends
    // lines.
    expect([code, stderr]).toEqual([0, expect.stringContaining('Trying again')]);
    expect(stops).toBeGreaterThan(0);
    expect(JSON.parse(stdout)).toMatchObject({ rows: ROWS, imported: ROWS, created: ROWS });
    expect(report).toEqual(Array.from({ length: ROWS }, (_, index) => index + 1));
    const [users] = await rowsOf(
      database.uri,
      `${WITH_ALL_TABLES}
       select count(*)::int as users, count(distinct l.email)::int as emails, count(distinct alias)::int as ids
       from users u join password_logins l using (user_id) join user_aliases a on a.user_id = u.user_id and kind = 'external'`,
    );
    expect(users).toEqual({ users: ROWS, emails: ROWS, ids: ROWS });
  });

  function runTool(url: string) {
    const directory = mkdtempSync(join(tmpdir(), 'uic-rolling-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const rows = Array.from({ length: ROWS }, (_, index) => `u${index},user${index}@example.com,${BCRYPT}\n`);
    writeFileSync(join(directory, 'users.csv'), `id,email,hash\n${rows.join('')}`);
    const args = [
      services.cli,
      'import',
      'users.csv',
      ...['--active', 'everybody', '--on-conflict', 'skip'],
      '--url',
      url,
      '--yes',
      '--json',
      '--report',
      'report.ndjson',
    ];
    const child = spawn(process.execPath, args, {
      cwd: directory,
      env: { PATH: process.env.PATH, USER_IMPORT_API_KEY: API_KEY },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (text) => {
      stdout += text;
    });
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    const ended = once(child, 'close').then(([code]) => ({
      code,
      stdout,
      stderr,
      report: rowsReported(directory),
    }));
    return { isOver: () => child.exitCode !== null || child.signalCode !== null, ended };
  }
});

/** Returns the row numbers in the report, in its order. */
function rowsReported(directory: string): number[] {
  const lines = readFileSync(join(directory, 'report.ndjson'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line).row);
}
