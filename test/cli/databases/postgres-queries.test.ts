import { createServer } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { BCRYPT, runCli, words } from '../command-line.ts';
import { opened, problemOf, recordsOf } from './read-all.ts';

let database: TestDatabase;
let admin: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
  admin = new pg.Client(database.uri);
  await admin.connect();
});

afterAll(async () => {
  await admin.end();
  await database.drop();
});

test('a query is read in place of tables', async () => {
  const query =
    "with a as (select i, 'x' || i as mail from generate_series(1, 2500) as i) select * from a order by i; ";
  const live = await opened(database.uri, { query });
  expect(live.survey.tables).toMatchObject([{ name: 'query', container: 'sql' }]);
  expect([...(live.survey.tables[0]?.columns ?? [])]).toEqual(['i', 'mail']);
  expect(live.survey.tables[0]?.first).toHaveLength(20);
  const rows = await recordsOf(live, 'query');
  expect(rows).toHaveLength(2500);
  expect(rows[2499]).toEqual({ i: '2500', mail: 'x2500' });
  expect(await recordsOf(await opened(database.uri, { query: 'select 1 as a -- one' }), 'query')).toEqual([
    { a: '1' },
  ]);
});

test('a query with the names of fields needs no mapping', async () => {
  const query = `select 7 as id, 'ada@example.com' as email, '${BCRYPT}' as hash, false as is_active`;
  const { code, stdout } = await runCli(
    words`inspect ${database.uri} --query ${query} --active is_active=true --json`,
  );
  expect([code, JSON.parse(stdout)]).toEqual([
    // Nobody would be imported.
    2,
    expect.objectContaining({ system: 'generic', rows: 1, reasons: { DISABLED: 1 } }),
  ]);
});

test.each([
  ['insert into kept values (2)', 'a single SELECT'],
  ['with x as (delete from kept returning id) select * from x', 'only reading is allowed'],
  ['select 1; delete from kept', 'a single SELECT'],
  ['select 1) as t; delete from kept; select * from (select 1', 'a single SELECT'],
  ['select 1) as t; commit; delete from kept; --', 'a single SELECT'],
  ["select nextval('counter')", 'only reading is allowed'],
  ['select * from kept for update', 'only reading is allowed'],
  ['truncate kept', 'a single SELECT'],
  ['commit', 'a single SELECT'],
  ['', 'a single SELECT'],
  ['select a.id, b.id from kept a, kept b', 'the same name'],
  ['select * from nowhere', 'relation "nowhere" does not exist'],
  ['select nothing from kept', 'column "nothing" does not exist'],
  ["select 'ada@example.org'::int", ': invalid input syntax for type integer.'],
  ['select 1 / (id - 1) from kept', 'division by zero'],
  ['select (select generate_series(1, 2)) from kept', 'more than one row returned by a subquery'],
])('text that is no single query is refused, and nothing is written: %s', async (query, says) => {
  await admin.query(
    'create table if not exists kept (id int primary key); insert into kept values (1) on conflict do nothing; create sequence if not exists counter',
  );
  const problem = await problemOf(opened(database.uri, { query }));
  expect(problem).toContain(says);
  expect(problem).not.toContain('ada@');
  expect((await admin.query('select * from kept')).rows).toEqual([{ id: 1 }]);
});

test('a lost connection is reported, and can be closed', async () => {
  const query = 'select i from generate_series(1, 100000) as i';
  const live = await opened(database.uri, { query });
  const reading = async () => {
    for await (const batch of live.survey.read(() => true)) {
      if (batch.firstRow === 1)
        await admin.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'user-import' and datname = current_database()",
        );
    }
  };
  expect(await problemOf(reading())).toMatch(/(connection was lost|terminating connection).*Run it again/);
  await live.close();
});

test('a statement that hangs is cancelled, on a signal or when its result is no longer wanted', async () => {
  const abort = new AbortController();
  const query =
    'select i, case when i > 20 then pg_sleep(600)::text end as s from generate_series(1, 100) as i';
  const live = await opened(database.uri, { query, signal: abort.signal });
  const reason = new Error('Ctrl-C');
  setTimeout(() => abort.abort(reason), 50);
  await expect(recordsOf(live, 'query')).rejects.toBe(reason);
  const other = await opened(database.uri, { query });
  const rows = other.survey.read(() => true)[Symbol.asyncIterator]();
  await rows.next();
  const hanging = problemOf(rows.next());
  await other.close();
  expect(await hanging).toContain('the connection was lost');
});

test('a server that accepts connections and sends nothing does not delay a signal', async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as { port: number };
  const reason = new Error('Ctrl-C');
  const abort = new AbortController();
  setTimeout(() => abort.abort(reason), 50);
  await expect(opened(`postgres://ada@127.0.0.1:${port}/app`, { signal: abort.signal })).rejects.toBe(reason);
});
