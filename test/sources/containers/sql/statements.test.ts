import { describe, expect, it } from 'vitest';
import { readDump, rowsOf } from './read-dump.ts';

const one = (id: string) => ({ id });

describe('INSERT', () => {
  it.each([
    "INSERT INTO t (id) VALUES ('1');",
    "insert  into\tt(id)values('1') ;",
    'INSERT INTO "t" ("id") VALUES (1);',
    'INSERT INTO `t` (`id`) VALUES (1);',
    'INSERT INTO [t] ([id]) VALUES (1);',
    'INSERT IGNORE INTO t (id) VALUES (1);',
    'INSERT OR REPLACE INTO t (id) VALUES (1);',
    'REPLACE INTO t (id) VALUE (1);',
    'INSERT INTO t (id) OVERRIDING SYSTEM VALUE VALUES (1);',
    'INSERT INTO t (id) VALUES (1) ON CONFLICT (id) DO NOTHING;',
    'INSERT INTO t (id) VALUES (1) RETURNING id;',
    'INSERT INTO t -- why\n (id /* x */) VALUES /* so */ (1) -- then\n ;',
    'CREATE TABLE t (id int);INSERT INTO t VALUES(1);',
  ])('%s', async (dump) => {
    expect(await rowsOf(dump, 't')).toEqual([one('1')]);
  });

  it('includes the schema in the name of the table', async () => {
    const dump = `INSERT INTO "auth"."users" ("id") VALUES (1);
INSERT INTO auth . users (id) VALUES (2);
INSERT INTO "a ""b""".c (id) VALUES (3);
INSERT INTO users (id) VALUES (4);`;
    const { rows } = await readDump(dump);
    expect(rows).toEqual({ 'auth.users': [one('1'), one('2')], 'a "b".c': [one('3')], users: [one('4')] });
  });

  it('takes the schema of unqualified names from the search path, as pg_dump before 10.3 sets it', async () => {
    const dump = `-- PostgreSQL database
SET search_path = auth, pg_catalog;
CREATE TABLE users (id int);
INSERT INTO users VALUES (1);
COPY users (id) FROM stdin;
2
\\.
SET search_path = "my ""app""", pg_catalog;
INSERT INTO users (id) VALUES (3);
SELECT pg_catalog.set_config('search_path', '', false);
INSERT INTO users (id) VALUES (4);
`;
    const { rows } = await readDump(dump);
    expect(rows).toEqual({
      'auth.users': [one('1'), one('2')],
      'my "app".users': [one('3')],
      users: [one('4')],
    });
  });

  it('reports rows with too few or too many values, and continues', async () => {
    const dump = 'INSERT INTO t (id, b) VALUES (1,2),(3),(4,5,6),(),(7,8);INSERT INTO t (id, b) VALUES (9);';
    const [good, ...others] = await rowsOf(dump, 't');
    expect(good).toEqual({ id: '1', b: '2' });
    const bad = 'COLUMNS_MISSING';
    expect(others).toEqual([bad, bad, 'SQL_INVALID', { id: '7', b: '8' }, bad]);
  });

  it('reports unknown values, and continues', async () => {
    const dump =
      "INSERT INTO t (id) VALUES (uuid(1, ')'', (')), (1), (now()), ((2)), ('a' 'b'), (3);INSERT INTO t (id) VALUES (4);";
    const bad = 'SQL_INVALID';
    expect(await rowsOf(dump, 't')).toEqual([bad, one('1'), bad, bad, bad, one('3'), one('4')]);
  });

  it('reports INSERT INTO t VALUES;', async () => {
    const rows = await rowsOf('INSERT INTO t VALUES;INSERT INTO t (id) VALUES (2);', 't');
    expect(rows).toEqual(['SQL_INVALID', one('2')]);
  });

  it('counts rows per table, whatever is between them', async () => {
    const dump = ['a', 'b', 'a', 'b', 'b']
      .map((table, id) => `INSERT INTO ${table} (id) VALUES (${id});`)
      .join('\n');
    const { rows, asked } = await readDump(dump);
    expect(asked.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(rows).toEqual({ a: [one('0'), one('2')], b: [one('1'), one('3'), one('4')] });
  });

  it('needs no semicolons if nothing separates statements', async () => {
    const dump =
      "INSERT INTO t (id) VALUES (1)\nINSERT INTO t (id) VALUES (2), ('3;')\n\nINSERT INTO t (id) VALUES (4)\n";
    expect(await rowsOf(dump, 't')).toEqual(['1', '2', '3;', '4'].map(one));
  });

  it.each([
    ['"odd ""name"""', 'odd "name"'],
    ['`ti``ck`', 'ti`ck'],
    ['[br]]acket]', 'br]acket'],
    ['"semi;colon (\'é漢"', "semi;colon ('é漢"],
    ['"select"', 'select'],
  ])('reads a table and a column called %s', async (written, name) => {
    const { rows } = await readDump(
      `INSERT INTO ${written} (${written}) VALUES (1);\nINSERT INTO t (id) VALUES (2);`,
    );
    expect(rows).toEqual({ [name]: [{ [name]: '1' }], t: [one('2')] });
  });

  it('accepts a column of any name', async () => {
    const [row] = await rowsOf('INSERT INTO t ("__proto__", constructor, "") VALUES (1, 2, 3);', 't');
    expect(JSON.stringify(row)).toBe('{"__proto__":"1","constructor":"2","":"3"}');
  });
});

describe('CREATE TABLE', () => {
  it.each([
    ['', "a int, b varchar(10) DEFAULT 'x, y', c decimal(10,2)", ['a', 'b', 'c']],
    ['', '"a" int, `b` int, [c] int', ['a', 'b', 'c']],
    ['', 'a int PRIMARY KEY, b int REFERENCES t(a, b), PRIMARY KEY (a, b), UNIQUE (a)', ['a', 'b']],
    ['', 'a int, CHECK (a > 1), FOREIGN KEY (a) REFERENCES u(a), CONSTRAINT x CHECK (a IN (1, 2))', ['a']],
    ['', 'a int, EXCLUDE USING gist (a WITH =), LIKE other INCLUDING ALL', ['a']],
    ['-- PostgreSQL database\n', 'key text, "primary" int, index int', ['key', 'primary', 'index']],
    ['-- PostgreSQL database\n', 'exclude boolean, period text', ['exclude', 'period']],
    [
      '-- MySQL dump\n',
      '`a` int, `key` int, PRIMARY KEY (`a`), KEY `k` (`a`), INDEX `i` (`a`)',
      ['a', 'key'],
    ],
    [
      '-- MySQL dump\n',
      '`a` int, UNIQUE KEY `u` (`a`), FULLTEXT KEY `f` (`a`), SPATIAL KEY `s` (`a`)',
      ['a'],
    ],
    ['-- MySQL dump\n', '`a` int, CONSTRAINT `c` FOREIGN KEY (`a`) REFERENCES `u` (`a`)', ['a']],
    ['-- MySQL dump\n', "`a` int COMMENT 'it''s \\'a\\', (b' /*!50606 STORAGE DISK */, `b` int", ['a', 'b']],
    ['PRAGMA x;\n', "'a' text, b, c -- it's the id,\n, d /* e, */ int", ['a', 'b', 'c', 'd']],
    ['GO\n', '[Id] [int],\n CONSTRAINT [PK] PRIMARY KEY CLUSTERED ([Id] ASC) WITH (PAD_INDEX = OFF)', ['Id']],
    ['GO\n', '[Id] [nvarchar](450) NOT NULL, INDEX [i] ([Id])', ['Id']],
  ])('%s%s', async (head, items, columns) => {
    const { asked, rows } = await readDump(`${head}CREATE TABLE t (${items});\n`);
    expect(asked.map(({ name, columns }) => [name, [...columns]])).toEqual([['t', columns]]);
    expect(rows).toEqual({});
  });

  it.each([
    'CREATE TABLE t AS SELECT 1;',
    'CREATE TABLE t (a int) AS SELECT 1;',
    'CREATE TABLE t (a int) ENGINE=InnoDB SELECT a FROM u;',
  ])('%s is refused, because its rows are not in the dump', async (statement) => {
    expect((await readDump(statement)).problem?.message).toContain('Load the dump into a database');
  });

  it.each([
    'CREATE TABLE IF NOT EXISTS t (id int);',
    'CREATE TEMPORARY TABLE t (id int);',
    'CREATE UNLOGGED TABLE public.t (id int);',
    'CREATE TABLE t (id int) ENGINE=InnoDB;',
  ])('%s', async (statement) => {
    const { asked } = await readDump(statement);
    expect(asked.map(({ columns }) => columns)).toEqual([new Set(['id'])]);
  });

  it.each([
    'CREATE VIRTUAL TABLE t USING fts5(a);',
    'CREATE TABLE t PARTITION OF u FOR VALUES IN (1);',
    'CREATE VIEW t AS SELECT (1);',
    'CREATE INDEX t ON u (a);',
  ])('%s has no columns of its own', async (statement) => {
    expect((await readDump(statement)).asked).toEqual([]);
  });

  it('leaves generated columns out if the rows do', async () => {
    const create =
      'PRAGMA x;\nCREATE TABLE t (a int, b int GENERATED ALWAYS AS (a + 1) STORED, c int AS (a), d int GENERATED ALWAYS AS IDENTITY);';
    expect(await rowsOf(`${create}INSERT INTO t VALUES (1, 2);`, 't')).toEqual([{ a: '1', d: '2' }]);
    expect(await rowsOf(`${create}INSERT INTO t VALUES (1, 2, 3, 4);`, 't')).toEqual([
      { a: '1', b: '2', c: '3', d: '4' },
    ]);
    expect(await rowsOf(`${create}INSERT INTO t VALUES (1, 2, 3);`, 't')).toEqual(['COLUMNS_MISSING']);
  });
});

describe('the choice of tables', () => {
  const many = (table: string, count: number) =>
    Array.from({ length: count }, (_, id) => `INSERT INTO ${table} (id) VALUES (${id});\n`).join('');

  it('is offered with up to 20 rows, of one statement or several', async () => {
    const values = Array.from({ length: 50 }, (_, id) => `(${id})`).join();
    const { asked } = await readDump(`${many('a', 50)}INSERT INTO b (id) VALUES ${values};${many('c', 3)}`);
    expect(asked.map(({ name, first }) => [name, first.length, first[0]])).toEqual([
      ['a', 20, one('0')],
      ['b', 20, one('0')],
      ['c', 3, one('0')],
    ]);
  });

  it('is offered earlier if rows are long', async () => {
    const long = 'x'.repeat(600_000);
    const { asked, rows } = await readDump(`INSERT INTO a (id) VALUES ('${long}'),('${long}'),('${long}');`);
    expect(asked.map(({ first }) => first.length)).toEqual([2]);
    expect(rows.a).toHaveLength(3);
  });

  it('is offered once, and then rows of other tables are skipped', async () => {
    const dump = `${many('a', 3)}${many('b', 2)}${many('a', 40)}COPY a (id) FROM stdin;\n1\n\\.\n${many('b', 1)}`;
    const { asked, rows } = await readDump(dump, { wanted: ({ name }) => name === 'b' });
    expect(asked.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(rows).toEqual({ b: [one('0'), one('1'), one('0')] });
  });
});
