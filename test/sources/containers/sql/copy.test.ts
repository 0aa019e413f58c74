import { expect, it } from 'vitest';
import { readDump, rowsOf } from './read-dump.ts';

const copy = (lines: string) => `-- PostgreSQL database\nCOPY t (a, b) FROM stdin;\n${lines}\\.\n`;

it.each([
  ['1\t2', { a: '1', b: '2' }],
  ['\t', { a: '', b: '' }],
  ['\\N\t\\\\N', { a: null, b: '\\N' }],
  ['\\\\N\t\\N', { a: '\\N', b: null }],
  ['x\\Ny\t \\N', { a: 'xNy', b: ' N' }],
  ['\\b\\f\\n\\r\\t\\v\t\\\\', { a: '\b\f\n\r\t\v', b: '\\' }],
  ['\\101\\x42\\x6\t\\303\\251', { a: 'AB\x06', b: 'é' }],
  ['\\\\.\t\\..', { a: '\\.', b: '..' }],
  ['it\'s\t"; -- /* $$', { a: "it's", b: '"; -- /* $$' }],
  ['é\t😀', { a: 'é', b: '😀' }],
  ['{"a": "\\\\n\\\\"é\\\\""}\t\\\\x00ff', { a: '{"a": "\\n\\"é\\""}', b: '\\x00ff' }],
])('%s', async (line, expected) => {
  expect(await rowsOf(copy(`${line}\n${line}\n`), 't')).toEqual([expected, expected]);
  expect(await rowsOf(copy(`${line}\r\n`).replace('\\.\n', '\\.\r\n'), 't')).toEqual([expected]);
});

it('reports rows with too few or too many cells, and continues', async () => {
  const bad = 'COLUMNS_MISSING';
  const rows = await rowsOf(copy('1\n1\t2\n1\t2\t3\n\n3\t4\n'), 't');
  expect(rows).toEqual([bad, { a: '1', b: '2' }, bad, bad, { a: '3', b: '4' }]);
});

it('reads rows of one column, including empty ones', async () => {
  const dump = '-- PostgreSQL database\nCOPY t (a) FROM stdin;\n\nx\n\\N\n\\.\n';
  expect(await rowsOf(dump, 't')).toEqual([{ a: '' }, { a: 'x' }, { a: null }]);
});

it('takes the columns from CREATE TABLE, or numbers them', async () => {
  const rows = 'COPY t FROM stdin;\n1\t2\n3\t4\n\\.\n';
  const create = 'CREATE TABLE t (a int, b int, c int GENERATED ALWAYS AS (a) STORED);\n';
  expect((await rowsOf(create + rows, 't'))[1]).toEqual({ a: '3', b: '4' });
  expect((await rowsOf(rows, 't'))[1]).toEqual({ 0: '3', 1: '4' });
});

it('offers a table without rows', async () => {
  const { asked, rows } = await readDump(copy(''));
  expect(asked).toMatchObject([{ container: 'sql', name: 't', columns: new Set(['a', 'b']), first: [] }]);
  expect(rows).toEqual({});
});

it('accepts the end mark at the end of the file', async () => {
  const { rows, problem } = await readDump(copy('1\t2\n').slice(0, -1));
  expect(problem).toBeUndefined();
  expect(rows.t).toEqual([{ a: '1', b: '2' }]);
});

it.each([1, 2, 3, 5, 7, 300_000])('skips rows that are not wanted, in chunks of %i', async (chunkBytes) => {
  const lines = ['\\\\.', '\\.x', 'x\\.', ' \\.', '\\N', ''].map((line) => `${line}\t1\n`).join('');
  for (const [end, begin] of [
    ['\n', ''],
    ['\r\n', ''],
    ['\n', '-- PostgreSQL database\nCOPY none (a) FROM stdin;\n\\.\n'],
  ]) {
    const dump =
      `${begin}${copy(lines.repeat(30))}`.replace(/\\\.\n$/, `\\.${end}`) +
      copy('').replace(/t \(/, 'u (').replace('\\.', '1\t2\n\\.');
    const { rows, problem } = await readDump(dump, { chunkBytes, wanted: ({ name }) => name === 'u' });
    expect(problem).toBeUndefined();
    expect(rows).toEqual({ u: [{ a: '1', b: '2' }] });
  }
});

it.each(['WITH CSV', '(FORMAT csv)'])('refuses rows in another format: %s', async (format) => {
  const { problem } = await readDump(`COPY t (a) FROM stdin ${format};\n1\n\\.\n`);
  expect(problem?.code).toBe('FILE_INVALID');
});

it.each(['COPY t (a) TO stdout;\n', 'COPY (SELECT 1) TO stdout;\n'])('%s has no rows', async (statement) => {
  expect(await rowsOf(`${statement}INSERT INTO t (a) VALUES (1);`, 't')).toEqual([{ a: '1' }]);
});

it('refuses invalid UTF-8 in a table that is wanted', async () => {
  const bytes = Buffer.concat([
    Buffer.from('-- PostgreSQL database\nCOPY t (a) FROM stdin;\nok\n'),
    Buffer.from([0x5a, 0xeb, 10]),
    Buffer.from('\\.\n'),
  ]);
  const { rows, problem } = await readDump(bytes);
  expect(rows.t).toEqual([{ a: 'ok' }]);
  expect(problem?.code).toBe('ENCODING_INVALID');
  expect((await readDump(bytes, { wanted: () => false })).problem).toBeUndefined();
});

it('ends the rows at the end mark, even after a character whose second byte is a backslash', async () => {
  const dump = (last: Buffer) =>
    Buffer.concat([
      Buffer.from('-- PostgreSQL database\nCOPY o (a, b) FROM stdin;\n1\t'),
      last,
      Buffer.from('\\\n\\.\nCOPY t (a, b) FROM stdin;\n2\t3\n\\.\n'),
    ]);
  // The second one is also UTF-8.
  for (const last of [Buffer.from([0x83]), Buffer.from([0xc3, 0x83])]) {
    const { rows, problem } = await readDump(dump(last), { wanted: ({ name }) => name === 't' });
    expect([rows, problem]).toEqual([{ t: [{ a: '2', b: '3' }] }, undefined]);
    expect((await readDump(dump(last))).problem).toMatchObject({ code: 'ENCODING_INVALID' });
  }
});
