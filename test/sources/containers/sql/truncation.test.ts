import { describe, expect, it } from 'vitest';
import { readDump } from './read-dump.ts';

/**
 * Dumps that state their end. A ^ marks the earliest place at which a dump is recognised, and a € the
 * statement of its end.
 */
const DUMPS: Record<string, string> = {
  COPY: `--
-- PostgreSQL database dump^
--

CREATE TABLE t (a int, b text);
COPY public.t (a, b) FROM stdin;
1	x\\ty
2	\\N
\\.

CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ select ';' $$;

--
-- PostgreSQL database dump complete€
--
`,
  'INSERT of pg_dump': `--
-- PostgreSQL database dump^
--

INSERT INTO public.t (a, b) VALUES (1, 'x''é;');
INSERT INTO public.t (a, b) VALUES (2, E'\\n');
-- PostgreSQL database dump complete€
`,
  mysqldump: `-- MySQL dump 10.13^
/*!40101 SET NAMES utf8mb4 */;
CREATE TABLE \`t\` (
  \`a\` int, \`b\` bit(1), KEY \`k\` (\`a\`)
) ENGINE=InnoDB;
INSERT INTO \`t\` VALUES (1,_binary '\\0'),(2,'\\''),(3,0x01);
-- Dump completed€ on 2026-03-01 12:00:00
`,
  SQLite: `PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;^
CREATE TABLE t(a, b);
INSERT INTO t VALUES(1,replace('a\\nb','\\n',char(10)));
INSERT INTO t VALUES(2,X'00ff');
CREATE TRIGGER x AFTER INSERT ON t BEGIN DELETE FROM t; END;
COMMIT;€
`,
};

describe.each(Object.entries(DUMPS))('%s', (_title, marked) => {
  const begin = Buffer.byteLength(marked.slice(0, marked.indexOf('^')));
  const end = Buffer.byteLength(marked.slice(0, marked.indexOf('€'))) - 1;
  const text = marked.replace('^', '').replace('€', '');

  it.each([true, false])(
    'gives the rows before the cut, wherever the file is truncated: %j',
    async (isWanted) => {
      const dump = Buffer.from(text);
      const wanted = () => isWanted;
      const { rows: whole, problem: none } = await readDump(dump, { wanted });
      expect(none).toBeUndefined();
      expect(Object.values(whole).flat().length > 1).toBe(isWanted);
      for (let cut = begin; cut < end; cut++) {
        const { rows, problem } = await readDump(dump.subarray(0, cut), { wanted });
        expect([cut, problem?.code]).toEqual([cut, 'FILE_TRUNCATED']);
        expect(problem?.message).toContain(`byte ${cut},`);
        for (const [table, some] of Object.entries(rows))
          expect(some).toEqual(whole[table]?.slice(0, some.length));
      }
    },
  );
});

it('offers the tables before a truncation', async () => {
  const { asked, problem } = await readDump('CREATE TABLE users (id int);\nINSERT INTO other (a) VALUES (1');
  expect(problem?.code).toBe('FILE_TRUNCATED');
  expect(asked.map(({ name }) => name)).toEqual(['users']);
});

it.each([
  ['INSERT INTO t (a) VALUES (1)', 1],
  ['INSERT INTO t (a) VALUES (1),(2)', 2],
  ['INSERT INTO t (a) VALUES (1),(2),', 2],
  ["INSERT INTO t (a) VALUES (1);\nINSERT INTO t (a) VALUES ('2", 1],
  ['INSERT INTO t (a) VALUES (1); /* x', 1],
  ['INSERT INTO t (a) VALUES (1); CREATE FUNCTION f() AS $$ x; ', 1],
  ['INSERT INTO t (a) VALUES (1); COMMIT', 1],
])('%s', async (dump, count) => {
  const { rows, problem } = await readDump(dump);
  expect(problem?.code).toBe('FILE_TRUNCATED');
  expect(rows.t).toHaveLength(count);
});

it.each([
  ...['', '\n', '-- nothing', '# nothing\n', '/* nothing */', 'INSERT INTO t (a) VALUES (1);'],
  'INSERT INTO t (a) VALUES (1); -- x',
])('nothing is missing from %j', async (dump) => {
  expect((await readDump(dump)).problem).toBeUndefined();
});
