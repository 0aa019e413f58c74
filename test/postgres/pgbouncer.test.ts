import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Database } from '../../src/postgres/client/database.ts';
import { applyMigrations, readMigrations } from '../../src/postgres/migrate/apply-migrations.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { installed } from '../support/installed.ts';
import { PgBouncer } from '../support/pgbouncer.ts';
import { stageOn, stateOf, useWorker } from '../support/staged-workers.ts';
import { usersOf } from '../support/staging.ts';
import { indexState, MIGRATIONS, NAMES } from './migrate/index-migrations.ts';
import { describeCopy } from './store-suite/describe-copy.ts';
import { describeTimeouts, TIMEOUT_MS } from './store-suite/describe-timeouts.ts';
import { describeUserStore } from './store-suite/describe-user-store.ts';

const SERVER_CONNECTIONS = 3;

const binary = installed('pgbouncer');
if (binary === undefined) process.stderr.write('pgbouncer is not installed: its tests are skipped\n');

let pooler: PgBouncer;

/** Returns a pool of an instance that connects to the same database through the pooler. */
function through(database: TestDatabase, options: { size: number; timeoutMs?: number }): Database {
  const db = new Database({
    timeoutMs: 10_000,
    ...options,
    uri: pooler.uri(database.uri),
    onIdleError: () => {},
  });
  db.engine = database.db.engine;
  return db;
}

it.skipIf(process.env.CI !== 'true')('PgBouncer is installed in CI, where no test may be skipped', () => {
  expect(binary).toBeDefined();
});

describe.skipIf(binary === undefined)('through PgBouncer in transaction mode', () => {
  beforeAll(async () => {
    pooler = await PgBouncer.start(binary ?? '', inject('postgres').uri, [
      `default_pool_size = ${SERVER_CONNECTIONS}`,
      // Nothing of one session may be left for the next.
      'server_reset_query_always = 0',
    ]);
  });
  afterAll(() => pooler.stop());

  it('is a pooler that refuses unknown startup parameters', async () => {
    const client = new pg.Client({
      connectionString: pooler.uri(inject('postgres').uri),
      statement_timeout: 1000,
    });
    await expect(client.connect()).rejects.toThrow('unsupported startup parameter');
  });

  it('migrates once when several instances start at once', async () => {
    const database = await createTestDatabase({ empty: true });
    const instances = Array.from({ length: 8 }, () => through(database, { size: 2 }));
    const applied = await Promise.all(
      instances.map((instance) => applyMigrations(instance, readMigrations())),
    );
    expect(applied.flat().sort()).toEqual(readMigrations().map(({ name }) => name));
    await Promise.all(instances.map((instance) => instance.close()));
    await database.drop();
  });

  it('builds an index outside a transaction once when several instances start at once', async () => {
    const database = await createTestDatabase({ empty: true });
    const instances = Array.from({ length: 8 }, () => through(database, { size: 2 }));
    const applied = await Promise.all(instances.map((instance) => applyMigrations(instance, MIGRATIONS)));
    expect(applied.flat().sort()).toEqual(NAMES);
    expect(await indexState(database.db)).toBe(true);
    await Promise.all(instances.map((instance) => instance.close()));
    await database.drop();
  });

  it('shares few server connections among many of its own', async () => {
    const database = await createTestDatabase();
    const db = through(database, { size: 20 });
    const pids = await Promise.all(
      Array.from({ length: 100 }, () =>
        db.query<{ pid: number }>('select pg_backend_pid() as pid, pg_sleep(0.005)'),
      ),
    );
    expect(new Set(pids.map(([row]) => row?.pid)).size).toBeLessThanOrEqual(SERVER_CONNECTIONS);
    await db.close();
    await database.drop();
  });

  it('lets several workers import staged users', async () => {
    const database = await createTestDatabase();
    const db = through(database, { size: 4 });
    const others = [through(database, { size: 4 }), through(database, { size: 4 })];
    const instance = { ...database, db };
    await stageOn(instance, usersOf(2500));
    const workers = [
      useWorker(instance, { db }),
      ...others.map((other) => useWorker(instance, { db: other })),
    ];
    await Promise.all(workers.map(({ worker }) => worker.idle()));
    expect(await stateOf(instance)).toEqual({ users: 2500, emails: 2500, staged: {} });
    expect(workers.flatMap(({ errors }) => errors)).toEqual([]);
    await Promise.all([db, ...others].map((one) => one.close()));
    await database.drop();
  });

  async function openThroughPooler() {
    const database = await createTestDatabase();
    const db = through(database, { size: 10 });
    return {
      db,
      async close() {
        await db.close();
        await database.drop();
      },
    };
  }

  describeTimeouts('a statement that takes too long', async () => {
    const database = await createTestDatabase();
    const db = through(database, { size: 2, timeoutMs: TIMEOUT_MS });
    return {
      db,
      admin: database.db,
      async close() {
        await db.close();
        await database.drop();
      },
    };
  });
  describeUserStore('the store', openThroughPooler);
  describeCopy('COPY', openThroughPooler);
});
