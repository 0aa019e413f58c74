import { beforeEach, expect, it, onTestFinished } from 'vitest';
import type { Connection } from '../../../src/postgres/client/connection.ts';
import { Database } from '../../../src/postgres/client/database.ts';
import { createImportStore } from '../../../src/postgres/imports/create-import-store.ts';
import { numbers, passwordLine } from '../../imports/history/rollback-under-test.ts';
import { runBody, runStream } from '../../imports/import-under-test.ts';
import { testPasswords } from '../../support/app.ts';
import { type TestDatabase, useTestDatabase } from '../../support/database.ts';
import { ndjson } from '../../support/ndjson.ts';

const passwords = testPasswords();
let database: TestDatabase;
beforeEach(async () => {
  database = await useTestDatabase();
});

/** Records the plans of all statements that read the session's tables. */
class ExplainingDatabase extends Database {
  readonly plans: string[] = [];

  override connection<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return super.connection((connection) => {
      const query = connection.query.bind(connection);
      connection.query = async (text: string, values?: readonly unknown[]) => {
        if (text.includes('from dry_run_logins')) {
          const lines = await query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
          this.plans.push(lines.map((line) => line['QUERY PLAN']).join('\n'));
        }
        return query(text, values);
      };
      return work(connection);
    });
  }
}

it('finds its rows by key, however many there are', async () => {
  const db = new ExplainingDatabase({ uri: database.uri, size: 4, timeoutMs: 10_000, onIdleError: () => {} });
  onTestFinished(() => db.close());
  db.engine = database.db.engine;
  const lines = numbers(0, 6000).map((n) => passwordLine(n, 0));
  // The lines come twice: as new users, which are looked up at once, and as users of earlier lines.
  const bytes = Buffer.from(ndjson(...lines, ...lines));
  const limits = { maxLines: 2000, maxBytes: 1_000_000, idleMs: 1000, maxAgeMs: 60_000 };
  const { summary } = await runStream(
    { db, passwords },
    { importId: 'it', dryRun: true, onConflict: 'overwrite' },
    { bytes, pace: { sizes: [65_536], pauses: false }, limits },
  );
  expect(summary).toMatchObject({ created: 6000, updated: 6000 });
  expect(db.plans.length).toBeGreaterThan(6);
  for (const plan of db.plans) expect(plan).toMatch(/Index (Only )?Scan (using|on) dry_run_logins_pkey/);
});

const PATIENT = { timeout: 10_000 };

/** Runs a dry run line by line, with a callback before each line except the first. */
async function dryRun(between: (line: number) => Promise<void>) {
  const lines = numbers(0, 3).flatMap((n) => [passwordLine(n, 0), passwordLine(n, 0)]);
  async function* body() {
    for (const [index, line] of lines.entries()) {
      if (index > 0) await between(index + 1);
      yield Buffer.from(ndjson(line));
    }
  }
  const limits = { maxLines: 1, maxBytes: 1_000_000, idleMs: 0, maxAgeMs: 0 };
  const request = { importId: 'it', dryRun: true, onConflict: 'overwrite' as const };
  return runBody({ db: database.db, passwords }, request, body(), { limits });
}

/** Number of kept rows after some lines: a login and a user for every two lines. */
const keptAfter = (lines: number) => 2 * Math.ceil(lines / 2);

const keptRows = async () => {
  const [row] = await database.db.query<{ logins: number; sessions: number }>(
    `select (select count(*)::int from dry_run_logins) as logins,
       (select count(*)::int from dry_run_sessions) as sessions`,
  );
  return row;
};

it('holds no connection and no transaction while no data arrives, and deletes its rows at the end', async () => {
  let looks = 0;
  const { results, summary } = await dryRun(async (line) => {
    // Chunks that were read ahead are decided by then.
    await expect.poll(async () => (await keptRows())?.logins, PATIENT).toBe(keptAfter(line - 1));
    const open = () =>
      database.db.query(
        `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
           and backend_type = 'client backend' and (state <> 'idle' or xact_start is not null)`,
      );
    await expect.poll(open, PATIENT).toEqual([]);
    looks += 1;
  });
  expect(looks).toBe(5);
  expect(results.map(({ status }) => status)).toEqual(Array(3).fill(['CREATED', 'UPDATED']).flat());
  expect(summary).toMatchObject({ created: 3, updated: 3 });
  await expect.poll(keptRows, PATIENT).toEqual({ logins: 0, sessions: 0 });
});

it('fails if the database has lost its rows, instead of deciding without them', async () => {
  const lost = dryRun(async (line) => {
    await expect.poll(async () => (await keptRows())?.logins, PATIENT).toBe(keptAfter(line - 1));
    // A crash has this effect on unlogged tables.
    if (line === 4) await database.db.query('truncate dry_run_logins, dry_run_sessions');
  });
  await expect(lost).rejects.toMatchObject({
    code: 'STORAGE_UNAVAILABLE',
    message: expect.stringContaining('begin the dry run again'),
  });
  expect(
    await database.db.query(
      "select relname from pg_class where relpersistence = 'u' and relkind = 'r' order by relname",
    ),
  ).toEqual(['dry_run_logins', 'dry_run_sessions', 'former_changes'].map((relname) => ({ relname })));
});

it('a dry run is deleted some time after its instance was killed, but not while it runs', async () => {
  await database.db.query(`
    insert into dry_run_sessions (session, used_at) values (1, now() - interval '2 hours'), (2, now() - interval '50 min');
    insert into dry_run_logins (session, kind, key, state)
    select s, 'password', n::text, '{}' from generate_series(1, 2) s, generate_series(1, 10001) n`);
  const imports = createImportStore(database.db, database.db);
  expect(await imports.expire(30)).toBe(10_002);
  expect(await keptRows()).toEqual({ logins: 10_001, sessions: 1 });
  expect(await imports.expire(30)).toBe(0);
});
