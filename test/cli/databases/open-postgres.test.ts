import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { opened, problemOf, recordsOf } from './read-all.ts';

let database: TestDatabase;
let admin: pg.Client;
const roles: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
  admin = new pg.Client(database.uri);
  await admin.connect();
});

afterAll(async () => {
  for (const role of roles) await admin.query(`drop owned by ${role}; drop role ${role}`);
  await admin.end();
  await database.drop();
});

/** Creates a user of the server without privileges. Its password is `secret-word`. */
async function newRole(): Promise<{ role: string; uri: string }> {
  const role = `uic_reader_${process.pid}_${roles.length}`;
  roles.push(role);
  await admin.query(`create role ${role} login password 'secret-word'`);
  const uri = new URL(database.uri);
  uri.username = role;
  uri.password = 'secret-word';
  return { role, uri: uri.href };
}

const withPath = (
  changes: Partial<Record<'pathname' | 'port' | 'hostname' | 'search' | 'password', string>>,
) => Object.assign(new URL(database.uri), changes).href;

test('a wrong password, host, port or database is reported in one sentence, which shows only host and database of the URI', async () => {
  const { uri } = await newRole();
  const wrong = uri.replace('secret-word', 'hunter2');
  const there = `postgresql://${new URL(uri).host}`;
  expect((await problemOf(opened(wrong))).replace('postgres://', 'postgresql://')).toMatch(
    new RegExp(`^${there}/uic_test_\\w+: (password authentication failed|it asks|permission denied)`),
  );
  expect(await problemOf(opened(withPath({ pathname: '/not_there' })))).toContain(
    'database "not_there" does not exist.',
  );
  expect(await problemOf(opened(withPath({ port: '1' })))).toContain('nothing listens there.');
  expect(await problemOf(opened(withPath({ hostname: 'nowhere.invalid' })))).toContain(
    'there is no host of that name.',
  );
  expect(await problemOf(opened(withPath({ search: '?sslmode=verify-full' })))).toContain('has no TLS');
  expect(await problemOf(opened(withPath({ search: '?sslmode=maybe' })))).toContain('sslmode is verify-full');
  expect(await problemOf(opened(withPath({ search: '?sslrootcert=/not/there&sslmode=require' })))).toContain(
    'cannot be read (ENOENT)',
  );
});

test.each([
  'postgres://ada:pa/ss@localhost/app',
  'postgres://ada:12/ss@localhost/app',
  'postgres://ada:1?ss@localhost/app',
  'postgres://ada:1#ss@localhost/app',
  'postgres://ada:%zz@localhost/app',
  'postgres://one:1,two:2/app',
])('a URI that is split in the wrong places is not shown: %s', async (uri) => {
  const problem = await problemOf(opened(uri));
  expect(problem).toMatch(/^The URI of the database cannot be read\. Write postgres:/);
  expect(problem).not.toContain('ss@');
});

test('the password may be in the environment', async () => {
  const { role } = await newRole();
  const { host, pathname } = new URL(database.uri);
  await opened(`postgres://${role}@${host}${pathname}`, { env: { PGPASSWORD: 'secret-word' } });
});

test('the server may be named in the query part of the URI', async () => {
  const { username, password, hostname, port, pathname } = new URL(database.uri);
  const there = `postgres://${username}:${password}@${pathname}?host=${hostname}&port=${port}&schema=public`;
  expect((await opened(there)).survey.name).toBe(
    `postgres://localhost${pathname}?host=${hostname}&port=${port}`,
  );
});

test('values are read as in a dump, whatever the settings of the role', async () => {
  const { role, uri } = await newRole();
  await admin.query(`
    create schema "Mixed Case";
    create type "Mixed Case".mood as enum ('fine', 'so so');
    create table "Mixed Case"."User.s" (
      id bigint primary key, "emailVerified" boolean, at timestamptz, plain timestamp, day date, bytes bytea, tags text[],
      data jsonb, mood "Mixed Case".mood, ip inet, price numeric, ratio float8, "select" text, span interval, id2 uuid,
      twice bigint generated always as (id * 2) stored, gone text
    );
    alter table "Mixed Case"."User.s" drop column gone;
    insert into "Mixed Case"."User.s" values (9007199254740993, true, '2024-06-01 12:00:00.123456+02', '2024-06-01 12:00', '2024-06-01',
      '\\x00ff', '{a,"b c"}', '{"b": 1, "a": null}', 'so so', '10.0.0.1', 1.50, 1e100, E'Zoë 😀\\n', '1 day', '123e4567-e89b-12d3-a456-426655440000');
    insert into "Mixed Case"."User.s" (id) values (1);
    grant usage on schema "Mixed Case" to ${role};
    grant select on "Mixed Case"."User.s" to ${role};
    alter role ${role} set timezone = 'America/New_York';
    alter role ${role} set datestyle = 'German';
    alter role ${role} set bytea_output = 'escape';
    alter role ${role} set intervalstyle = 'iso_8601';
    alter role ${role} set statement_timeout = '1s';
    alter role ${role} set default_transaction_read_only = off;
  `);
  const live = await opened(uri);
  const [first, second] = await recordsOf(live, 'Mixed Case.User.s');
  expect(first).toMatchObject({ id: '1', emailVerified: null });
  expect(second).toEqual({
    id: '9007199254740993',
    emailVerified: 't',
    at: '2024-06-01 10:00:00.123456+00',
    plain: '2024-06-01 12:00:00',
    day: '2024-06-01',
    bytes: '\\x00ff',
    tags: '{a,"b c"}',
    data: '{"a": null, "b": 1}',
    mood: 'so so',
    ip: '10.0.0.1',
    price: '1.50',
    ratio: '1e+100',
    select: 'Zoë 😀\n',
    span: '1 day',
    id2: '123e4567-e89b-12d3-a456-426655440000',
  });
  const [head] = live.survey.tables;
  expect(head?.first).toEqual([first, second]);
  expect([...(head?.columns ?? [])]).toEqual(Object.keys(second as object));
});

test('tables, columns and schemas that the user may not read are left out, and views replace the tables behind them', async () => {
  const { role, uri } = await newRole();
  await admin.query(`
    create schema secret; create table secret.users (id int);
    create schema rights; grant usage on schema rights to ${role};
    create table rights.closed (id int); create table rights.some (id int primary key, email text, pin text);
    insert into rights.some values (1, 'ada@example.org', '1234');
    grant select (id, email) on rights.some to ${role};
    create view rights.of_closed as select * from rights.closed; grant select on rights.of_closed to ${role};
    create table rights.open (id int); grant select on rights.open to ${role};
    create view rights.of_open as select * from rights.open; grant select on rights.of_open to ${role};
    create table rights.parted (id int primary key) partition by range (id);
    create table rights.part1 partition of rights.parted for values from (10) to (20);
    create table rights.part2 partition of rights.parted for values from (0) to (10);
    insert into rights.parted values (11), (1), (12);
    create table rights.parent (id int); create table rights.child () inherits (rights.parent);
    insert into rights.parent values (1); insert into rights.child values (2);
    grant select on rights.parted, rights.part1, rights.part2, rights.parent, rights.child to ${role};
  `);
  const live = await opened(uri);
  const mine = live.survey.tables.filter(({ name }) => /^(rights|secret)\./.test(name));
  expect(mine.map(({ name }) => name)).toEqual([
    'rights.child',
    'rights.of_closed',
    'rights.open',
    'rights.parent',
    'rights.parted',
    'rights.some',
  ]);
  expect(await recordsOf(live, 'rights.some')).toEqual([{ id: '1', email: 'ada@example.org' }]);
  expect(await recordsOf(live, 'rights.parted')).toEqual([{ id: '1' }, { id: '11' }, { id: '12' }]);
  expect(await recordsOf(live, 'rights.parent')).toEqual([{ id: '1' }]);
});

test('row-level security is reported as a problem instead of hiding rows', async () => {
  const { role, uri } = await newRole();
  await admin.query(`
    create table hidden (id int, email text); alter table hidden enable row level security;
    insert into hidden values (1, 'ada@example.org'); grant select on hidden to ${role};
  `);
  const live = await opened(uri);
  expect(live.survey.tables.find(({ name }) => name === 'public.hidden')?.first).toEqual([]);
  expect(await problemOf(recordsOf(live, 'public.hidden'))).toContain('row-level security');
});

test('all tables are read from one snapshot in the order of their keys, repeatedly and in part', async () => {
  await admin.query(`
    create table moment (id int primary key, v text);
    insert into moment select i, 'before' from generate_series(5000, 1, -1) as i;
  `);
  const live = await opened(database.uri);
  await admin.query(
    "update moment set v = 'after'; delete from moment where id > 100; create table later (id int)",
  );
  const rows = await recordsOf(live, 'public.moment');
  expect(rows).toEqual(Array.from({ length: 5000 }, (_, at) => ({ id: String(at + 1), v: 'before' })));
  for await (const batch of live.survey.read(({ name }) => name === 'public.moment')) {
    expect(batch.records[0]).toEqual({ id: '1', v: 'before' });
    break;
  }
  expect(await recordsOf(live, 'public.moment')).toEqual(rows);
});

test('another snapshot and another query are known apart', async () => {
  const before = await opened(database.uri);
  const query = await opened(database.uri, { query: 'select 1 as a' });
  await admin.query('create table another_moment (id int)');
  const after = await opened(database.uri);
  expect(after.survey.digest).toBe(before.survey.digest);
  expect(new Set([before, query, after].map(({ survey }) => survey.digest + survey.moment)).size).toBe(3);
});

test('if there are many tables, those that may have users are sampled, without large values', async () => {
  const { uri, drop } = await createTestDatabase({ empty: true });
  onTestFinished(drop);
  const own = new pg.Client(uri);
  await own.connect();
  onTestFinished(() => own.end());
  const many = Array.from(
    { length: 300 },
    (_, at) => `create table t${at} (id int, v text); insert into t${at} values (1, 'x')`,
  );
  await own.query(many.join(';'));
  await own.query(
    "create table people (id int primary key, pwd text, photo text); insert into people values (1, 'x', repeat(md5(random()::text), 30000))",
  );
  const live = await opened(uri);
  expect(live.survey.tables).toHaveLength(301);
  const people = live.survey.tables.find(({ name }) => name === 'public.people');
  expect(people?.first).toEqual([{ id: '1', pwd: 'x', photo: null }]);
  expect(live.survey.tables.filter(({ first }) => first.length > 0)).toEqual([people]);
  const [whole] = (await recordsOf(live, 'public.people')) as { photo: string }[];
  expect(whole?.photo).toHaveLength(960_000);
});

test('a database in SQL_ASCII, whose texts may have any encoding, is read from its dump', async () => {
  const name = `${database.uri.split('/').at(-1)?.split('?')[0]}_ascii`;
  await admin.query(`create database ${name} encoding 'SQL_ASCII' locale 'C' template template0`);
  onTestFinished(async () => {
    await admin.query(`drop database ${name} with (force)`);
  });
  const uri = withPath({ pathname: `/${name}` });
  expect(await problemOf(opened(uri))).toContain('Read its dump (pg_dump), with --encoding');
});
