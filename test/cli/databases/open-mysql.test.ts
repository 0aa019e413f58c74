import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lacksMariadb, type MariadbServer, startMariadb } from '../../support/mariadb.ts';
import { opened, problemOf, recordsOf } from './read-all.ts';

describe.skipIf(lacksMariadb)('MariaDB', () => {
  let server: MariadbServer;

  beforeAll(async () => {
    server = await startMariadb();
    await server.load(
      'app',
      `create table kept (id int primary key, email varchar(100));
       insert into kept values (1, 'ada@example.org');
       create table many (id int primary key, v varchar(40));
       insert into many select seq, concat('v', seq) from seq_1_to_30000;
       create user reader identified by 'secret-word';
       grant select (id) on app.kept to reader; grant select on app.many to reader;`,
    );
  });

  afterAll(() => server.stop());

  const uri = (options = '', user = 'root') => `mysql://${user}@127.0.0.1:${server.port}/app${options}`;

  test('reports errors in one sentence, and shows only host and database of the URI', async () => {
    const there = `mysql://127.0.0.1:${server.port}/app`;
    expect(await problemOf(opened(uri('', 'reader:hunter2')))).toBe(
      `${there}: the user or the password is wrong (MYSQL_PWD, or in the URI).`,
    );
    expect(await problemOf(opened(uri('', 'reader')))).toContain('the user or the password is wrong');
    expect(await problemOf(opened(uri().replace('/app', '/nothing')))).toContain('there is no such database');
    expect(await problemOf(opened(uri().replace('/app', '')))).toContain('name the database');
    expect(await problemOf(opened('mysql://root@127.0.0.1:1/app'))).toContain('nothing listens there');
    expect(await problemOf(opened('mysql://root@nowhere.invalid/app'))).toContain('there is no such host');
    expect(await problemOf(opened('mysql://root@localhost/app?socket=/not/there'))).toContain(
      'there is no such socket',
    );
    expect(await problemOf(opened(uri('?ssl-mode=VERIFY_IDENTITY')))).toContain('certificate is not trusted');
  });

  test('connects through a socket, with or without TLS, with the password from the environment', async () => {
    const cipher = {
      query:
        "select variable_value as cipher from information_schema.session_status where variable_name = 'Ssl_cipher'",
    };
    const [plain] = await recordsOf(await opened(uri('?ssl-mode=disabled'), cipher), 'query');
    expect(plain).toEqual({ cipher: '' });
    const ca = `ssl-ca=${server.certificate}`;
    for (const options of [
      '',
      '?ssl-mode=required',
      `?ssl-mode=verify_ca&${ca}`,
      `?ssl-mode=verify_identity&${ca}`,
    ]) {
      const [encrypted] = (await recordsOf(
        await opened(uri(options).replace('127.0.0.1', 'localhost'), cipher),
        'query',
      )) as {
        cipher: string;
      }[];
      expect(encrypted?.cipher).toMatch(/^TLS_/);
    }
    for (const there of [
      `localhost/app?socket=${server.socket}`,
      `${encodeURIComponent(server.socket)}/app`,
    ]) {
      expect(await recordsOf(await opened(`mariadb://root@${there}`), 'kept')).toHaveLength(1);
    }
    await opened(uri('', 'reader'), { env: { MYSQL_PWD: 'secret-word' } });
  });

  test('leaves out what the user may not read, and reads a view if nothing else has the data', async () => {
    await server.run(`
      create view app.shown as select id, email from app.kept;
      create database views; create view views.shown as select id, email from app.kept;
      grant select on views.* to reader;
    `);
    const live = await opened(uri('', 'reader:secret-word'));
    expect(live.survey.tables.map(({ name, columns }) => [name, ...columns])).toEqual([
      ['kept', 'id'],
      ['many', 'id', 'v'],
    ]);
    expect(await recordsOf(live, 'kept')).toEqual([{ id: '1' }]);
    const views = await opened(uri('', 'reader:secret-word').replace('/app', '/views'));
    expect(await recordsOf(views, 'shown')).toEqual([{ id: '1', email: 'ada@example.org' }]);
  });

  test('reads values as in a dump, in any SQL mode of the server', async () => {
    await server.run("set global time_zone = '+05:00'; set global sql_select_limit = 1");
    await server.load(
      'kinds',
      `set sql_mode = '';
       create table \`T\`\`x y\` (
         id bigint unsigned primary key, flags bit(40), one bit(1), uuid binary(16), word varbinary(20), bytes blob, pad char(8), data json,
         at datetime(6), zero datetime, day date, stamp timestamp, price decimal(30,10), ratio double, mood enum('so so','b'), tags set('x','y'),
         span time, y year, uu uuid, ip inet6, text text character set latin1, shout int generated always as (1) virtual
       ) default charset utf8mb4;
       insert into \`T\`\`x y\` (id, flags, one, uuid, word, bytes, pad, data, at, zero, day, stamp, price, ratio, mood, tags, span, y, uu, ip, text)
       values (18446744073709551615, 1099511627775, 1, unhex('61616161616161616161616161616161'), 'hello', unhex('ff00'), 'ab', '{"a":1}',
         '2024-01-02 03:04:05.678901', '0000-00-00 00:00:00', '0000-00-00', '2024-06-01 12:00:00', 1.5, 0.1, 'so so', 'x,y', '-10:00:00', 2024,
         '123e4567-e89b-12d3-a456-426655440000', '::1', 'Zoë'),
       (7, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null);
       alter table \`T\`\`x y\` convert to character set utf8mb4; update \`T\`\`x y\` set text = 'Zoë 😀' where id > 7`,
    );
    for (const mode of [
      'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PAD_CHAR_TO_FULL_LENGTH,NO_ZERO_DATE,NO_ZERO_IN_DATE,STRICT_ALL_TABLES',
      '',
    ]) {
      await server.run(`set global sql_mode = '${mode}'`);
      const live = await opened(uri().replace('/app', '/kinds'));
      const records = await recordsOf(live, 'T`x y');
      const [nothing, all] = records as Record<string, unknown>[];
      expect(records).toHaveLength(2);
      expect(Object.values(nothing ?? {}).filter((value) => value !== null)).toEqual(['7']);
      expect(all).toMatchObject({
        id: '18446744073709551615',
        flags: '1099511627775',
        one: '1',
        uuid: '61616161616161616161616161616161',
        word: 'hello',
        bytes: 'ff00',
        pad: 'ab',
        data: '{"a":1}',
        at: '2024-01-02 03:04:05.678901',
        zero: '0000-00-00 00:00:00',
        day: '0000-00-00',
        price: '1.5000000000',
        ratio: '0.1',
        mood: 'so so',
        tags: 'x,y',
        span: '-10:00:00',
        y: '2024',
        uu: '123e4567-e89b-12d3-a456-426655440000',
        ip: '::1',
        text: 'Zoë 😀',
      });
      expect(Object.keys(all ?? {})).not.toContain('shout');
      expect(live.survey.tables[0]?.first).toEqual(records);
    }
    await server.run('set global sql_select_limit = default');
  });

  test('reads times as UTC, in any time zone of the server', async () => {
    await server.load(
      'zones',
      "create table t (id int primary key, at timestamp); set time_zone = '+02:00'; insert into t values (1, '2024-06-01 12:00:00')",
    );
    await server.run("set global time_zone = '+05:00'");
    expect(await recordsOf(await opened(uri().replace('/app', '/zones')), 't')).toEqual([
      { id: '1', at: '2024-06-01 10:00:00' },
    ]);
  });

  test('reads all rows of one snapshot in the order of the key, repeatedly and after a partial read', async () => {
    const live = await opened(uri());
    await server.run("update app.many set v = 'after'; delete from app.many where id > 10; ");
    const rows = (await recordsOf(live, 'many')) as { id: string; v: string }[];
    expect(rows).toHaveLength(30_000);
    expect(rows.findIndex(({ id, v }, at) => id !== `${at + 1}` || v !== `v${id}`)).toBe(-1);
    for await (const batch of live.survey.read(({ name }) => name === 'many')) {
      expect(batch.records[0]).toEqual({ id: '1', v: 'v1' });
      break;
    }
    expect(JSON.stringify(await recordsOf(live, 'many')) === JSON.stringify(rows)).toBe(true);
    expect(await recordsOf(live, 'kept')).toHaveLength(1);
    expect((await opened(uri())).survey.digest).not.toBe(live.survey.digest);
  });

  test('reads a query in place of tables', async () => {
    const query = "select seq as i, concat('x', seq) as mail from seq_1_to_2500 -- all";
    const live = await opened(uri(), { query });
    expect(live.survey.tables[0]?.first).toHaveLength(20);
    const rows = await recordsOf(live, 'query');
    expect(rows).toHaveLength(2500);
    expect(rows[2499]).toEqual({ i: '2500', mail: 'x2500' });
  });

  test.each([
    ["insert into kept values (2, 'x')", 'not a single SELECT'],
    ['select 1; delete from kept', 'not a single SELECT'],
    ['select 1) as t; delete from kept; -- ', 'not a single SELECT'],
    ['commit', 'not a single SELECT'],
    ["select * from kept into outfile '/tmp/never'", 'not a single SELECT'],
    ['', 'not a single SELECT'],
    ['select a.id, b.id from kept a, kept b', 'the same name'],
    ['select * from nowhere', 'a table that does not exist'],
    ['select nothing from kept', 'a column that does not exist'],
    ['select nowhere_1() as a', 'a function that does not exist'],
  ])('refuses text that is no single query, and writes nothing: %s', async (query, says) => {
    const problem = await problemOf(opened(uri(), { query }));
    expect(problem).toContain(says);
    expect(await recordsOf(await opened(uri()), 'kept')).toHaveLength(1);
  });

  test('refuses a function that writes', async () => {
    await server.run(
      'create function app.writes() returns int modifies sql data begin delete from app.kept; return 1; end',
    );
    expect(await problemOf(opened(uri(), { query: 'select writes() as w' }))).toContain(
      'only reading is allowed',
    );
  });

  test('reports a lost connection, also while nobody reads, and can be closed', async () => {
    const query = 'select seq as i, repeat(md5(seq), 100) as v from seq_1_to_200000';
    const live = await opened(uri(), { query });
    const kill = async () => {
      const other = await opened(uri(), {
        query:
          "select id from information_schema.processlist where info like '%repeat(md5(seq)%' and id <> connection_id()",
      });
      for (const row of await recordsOf(other, 'query'))
        await server.run(`kill ${(row as { id: string }).id}`);
    };
    const reading = async () => {
      for await (const batch of live.survey.read(() => true)) if (batch.firstRow === 1) await kill();
    };
    expect(await problemOf(reading())).toMatch(/Run it again: it reads from the start/);
    expect(await problemOf(reading())).toMatch(/Run it again: it reads from the start/);
    await live.close();
  });

  test('cancels a statement that hangs, on a signal or when its result is no longer wanted', async () => {
    const query = 'select seq as i, if(seq > 20, sleep(600), 0) as s from seq_1_to_100';
    const abort = new AbortController();
    const live = await opened(uri(), { query, signal: abort.signal });
    const reason = new Error('Ctrl-C');
    setTimeout(() => abort.abort(reason), 50);
    await expect(recordsOf(live, 'query')).rejects.toBe(reason);
    const other = await opened(uri(), { query });
    const hanging = problemOf(recordsOf(other, 'query'));
    await other.close();
    expect(await hanging).toContain('the connection was lost');
  });
});
