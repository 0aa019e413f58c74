import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { BCRYPT, runCli } from './command-line.ts';
import { useImportSetup } from './import-setup.ts';

const cli = useImportSetup();
let shop: TestDatabase;
let admin: pg.Client;

beforeAll(async () => {
  shop = await createTestDatabase({ empty: true });
  admin = new pg.Client(shop.uri);
  await admin.connect();
  await admin.query(`
    create table customers (id int primary key, login text, pw text);
    create table bans (customer int references customers, until timestamptz);
    create table prices (id int, amount int);
    insert into customers values (1, 'ada@example.com', '${BCRYPT}'), (2, 'bob@example.com', '${BCRYPT}');
    insert into bans values (2, null); insert into prices values (1, 2)`);
});

afterAll(async () => {
  await admin.end();
  await shop.drop();
});

const QUERY = 'select id, login as email, pw as hash from customers order by id';

const importing = (...more: string[]) =>
  runCli(['import', shop.uri, '--url', cli.url, '--yes', '--json', ...more]);

test('a query stops at tables that refer to its users and that it does not name', async () => {
  const { code, stdout } = await importing('--query', QUERY);
  expect([code, await cli.userCount()]).toEqual([2, 0]);
  const { error } = JSON.parse(stdout);
  expect(error).toContain('bans: customer, until');
  expect(error).not.toContain('prices');
  const [, example = ''] = /--query '(.*)'$/m.exec(error) ?? [];
  expect(example).toContain('o.until > current_timestamp');
  // The example is of the database's own SQL.
  expect((await admin.query(example)).rows.toSorted((a, b) => a.id - b.id)).toMatchObject([
    { id: 1, active: true },
    { id: 2, active: false },
  ]);
});

test('an import that has stopped goes on in another snapshot, and is another import once it has ended', async () => {
  const query = ['--query', QUERY, '--ignore-table', 'bans', '--active', 'everybody'];
  const first = JSON.parse((await importing(...query)).stdout);
  expect(first).toMatchObject({ resumed: false, created: 2 });
  await cli.service.database.db.query('update imports set finished_at = null');
  await admin.query(
    "update prices set amount = 3; update customers set login = 'eve@example.com' where id = 2",
  );
  const second = await importing(...query);
  expect(JSON.parse(second.stdout)).toMatchObject({
    ...{ importId: first.importId, resumed: true, reasons: { LINE_CHANGED: 1 } },
  });
  await admin.query("insert into customers values (3, 'new@example.com', $1)", [BCRYPT]);
  const third = await importing(...query, '--on-conflict', 'skip');
  expect(JSON.parse(third.stdout)).toMatchObject({ resumed: false, created: 1 });
});

test('an empty table gets no advice about dumps', async () => {
  const query = `${QUERY.replace(' order by id', '')} where false`;
  const { stdout } = await runCli(['inspect', shop.uri, '--query', query, '--ignore-rest', '--json']);
  const said = JSON.parse(stdout)
    .advice.map(({ text }: { text: string }) => text)
    .join('\n');
  expect(said).toContain('There are no rows of users. If the old system has users, name the database');
  expect(said).not.toMatch(/pg_dump|mysqldump/);
});
