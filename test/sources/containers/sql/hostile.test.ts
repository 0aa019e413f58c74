import { describe, expect, it } from 'vitest';
import { readSql } from '../../../../src/sources/containers/sql/read-sql.ts';
import { readDump } from './read-dump.ts';

const MIB = 1024 * 1024;
const LONG = 'x'.repeat(17 * MIB);

describe('a row longer than 16 MiB', () => {
  it.each([
    ['COPY', `COPY t (a) FROM stdin;\n1\n${LONG}\n3\n\\.\n`],
    ['a string', `INSERT INTO t (a) VALUES (1),('${LONG}'),(3);`],
    ['quotes', `INSERT INTO t (a) VALUES (1),('${"''".repeat(9 * MIB)}'),(3);`],
    ['backslashes', `/*!1 */INSERT INTO t (a) VALUES (1),('${'\\\\'.repeat(9 * MIB)}'),(3);`],
    ['values', `INSERT INTO t (a) VALUES (1),('${LONG.slice(MIB)}', '${LONG.slice(15 * MIB)}'),(3);`],
    ['parentheses', `INSERT INTO t (a) VALUES (1),(${'('.repeat(9 * MIB)}${')'.repeat(9 * MIB)}),(3);`],
    ['white space', `INSERT INTO t (a) VALUES (1),(2${' '.repeat(17 * MIB)}),(3);`],
    ['a comment', `INSERT INTO t (a) VALUES (1),(2 /* ${LONG} */),(3);`],
    ['hex', `INSERT INTO t (a) VALUES (1),(0x${'00'.repeat(9 * MIB)}),(3);`],
  ])('of %s is reported, and the next row is read', async (_title, dump) => {
    const { rows, problem } = await readDump(dump, { chunkBytes: 512 * 1024 });
    expect(problem).toBeUndefined();
    const [first, bad, last, ...more] = rows.t ?? [];
    expect([first, last, more]).toEqual([{ a: '1' }, { a: '3' }, []]);
    expect(['RECORD_TOO_LONG', 'SQL_INVALID']).toContain(bad);
  });

  it('gives the same result however the file is cut', async () => {
    const row = 'x'.repeat(16 * MIB);
    for (const chunkBytes of [1 * MIB, 64 * MIB]) {
      const { rows } = await readDump(`INSERT INTO t (a) VALUES ('${row}'),('${row.slice(4)}');`, {
        chunkBytes,
      });
      expect(rows.t).toMatchObject(['RECORD_TOO_LONG', { a: row.slice(4) }]);
    }
  });
});

it.each([
  ['a comment', `-- ${LONG}\n/* ${LONG} */`],
  ['a body', `CREATE FUNCTION f() AS $a$ ${LONG} $a$;`],
  ['white space', ' '.repeat(17 * MIB)],
])('%s of 17 MiB is skipped', async (_title, before) => {
  const { rows } = await readDump(`${before}\nINSERT INTO t (a) VALUES (1);`, { chunkBytes: 256 * 1024 });
  expect(rows).toMatchObject({ t: [{ a: '1' }] });
});

it.each([
  ['names of columns', `INSERT INTO u (${'a,'.repeat(0.6 * MIB)}a) VALUES (1);`],
  ['columns', `CREATE TABLE u (${'a int,'.repeat(MIB / 4)}a int);`],
  ['a setting', `SET x = ${'a + '.repeat(0.3 * MIB)} 1;`],
  ['a text', `SET x = '${LONG}';`],
])('%s of megabytes stop the import', async (_title, before) => {
  const { rows, problem } = await readDump(`${before}\nINSERT INTO t (a) VALUES (1);`);
  expect(problem?.message).toContain('at line 1 is not read');
  expect(rows).toEqual({});
});

it('refuses a dump with an implausible number of tables', async () => {
  const dump = Array.from({ length: 20_001 }, (_, index) => `CREATE TABLE t${index} (a int);`).join('');
  const { problem, asked } = await readDump(dump);
  expect(problem?.code).toBe('FILE_INVALID');
  expect(asked).toHaveLength(20_000);
});

// All of them are longer than the part of a dump that is in memory, and take minutes if the time is not linear.
it.each([
  ['functions in functions', `${'replace('.repeat(20_000)}'a'`],
  ['quotes that do not end', "('".repeat(75_000)],
  ['comments that do not end', '/*'.repeat(75_000)],
  ['names that do not end', 'INSERT INTO "'.repeat(15_000)],
  ['parentheses', `INSERT INTO t (a) VALUES ${'('.repeat(150_000)}`],
  ['casts', `INSERT INTO t (a) VALUES (1${'::x'.repeat(45_000)});`],
  ['heads without rows', 'INSERT INTO t (a) VALUES '.repeat(7500)],
  ['words of ALTER', `CREATE TABLE t (a int);\nALTER TABLE t ${'USING '.repeat(25_000)};`],
  ['bad rows', `INSERT INTO t (a) VALUES ${'(x),'.repeat(30_000)}`],
  ['rows that end in strings', `INSERT INTO t (a) VALUES ${"(x'),('".repeat(20_000)}`],
  ['COPY in COPY', 'COPY t (a) FROM stdin;\n'.repeat(7500)],
  ['lines without tabs', `COPY t (a, b) FROM stdin;\n${'\n'.repeat(150_000)}\\.\n`],
  ['backslashes', `COPY t (a) FROM stdin;\n${'\\'.repeat(150_000)}\n\\.\n`],
  ['marks', `COPY t (a) FROM stdin;\n${'\\.x\n'.repeat(40_000)}\\.\n`],
  ['dollars', '$a$'.repeat(50_001)],
  ['routines', 'CREATE TRIGGER x BEGIN '.repeat(7500)],
  [
    'bytes of all kinds',
    Buffer.from(Array.from({ length: 150_000 }, (_, index) => (index * 7919) >> 3)).toString('latin1'),
  ],
])('ends with %s', async (_title, dump) => {
  const heads = ['', '-- MySQL dump 1\n', 'PRAGMA x;\n', 'GO\n', '-- PostgreSQL database\n'];
  for (const head of heads) {
    const { rows } = await readDump(head + dump);
    expect(Object.values(rows).flat().length).toBeLessThan(dump.length);
  }
  expect((await readDump(dump, { wanted: () => false })).rows).toEqual({});
});

it('keeps a bounded part of a long dump in memory', async () => {
  const row = `(1,'${'x'.repeat(500)}')`;
  const statement = `INSERT INTO t (a, b) VALUES ${`${row},`.repeat(2000)}${row};\n`;
  async function* chunks() {
    for (let index = 0; index < 15; index++) yield Buffer.from(statement);
  }
  let rows = 0;
  let largest = 0;
  for await (const batch of readSql(chunks(), {}, () => true)) {
    rows += batch.records.length;
    largest = Math.max(largest, batch.records.length);
  }
  expect(rows).toBe(15 * 2001);
  // A part in memory has 64 KiB, and what was left of the part before.
  expect(largest).toBeLessThan(300);
});
