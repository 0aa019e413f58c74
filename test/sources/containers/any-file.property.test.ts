import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CSV_WRITER_NAMES } from '../../../src/sources/containers/csv/csv-writers.ts';
import { openContainer } from '../../../src/sources/containers/open-container.ts';
import type { ReadOptions } from '../../../src/sources/containers/table.ts';
import { chunksOf, fileOf, readTables, sampleBytes, withCodes } from './read-whole.ts';

const RUNS = Number(process.env.RUNS ?? 30);

const rfc: ReadOptions = { format: 'csv', csv: 'rfc4180' };
const fixture = (name: string) => readFileSync(new URL(`sql/fixtures/${name}`, import.meta.url));
const json = (text: string): [ReadOptions, Buffer] => [{ format: 'json' }, Buffer.from(text)];

/** Files of all kinds, some hundred bytes of each. */
const FILES: Readonly<Record<string, readonly [options: ReadOptions, bytes: Buffer]>> = {
  'CSV of Firebase': [{ format: 'csv' }, sampleBytes('firebase/users.csv')],
  'CSV in quotes': [{ format: 'csv' }, sampleBytes('auth0/users.csv')],
  'CSV with JSON': [{ format: 'csv' }, sampleBytes('supabase/auth_users.csv')],
  'CSV of a named writer': [rfc, sampleBytes('generic/users.csv')],
  'array of JSON': json('[{"a":1,"b":"x\\"}"},{"ä":[{}]}, {"c":null}]'),
  'object of JSON': json('{"x":{"y":[1,"ü"]},"users":[{"a":1},{"b":[]}],"z":"}"}'),
  'JSON of Ghost': json('{"db":[{"meta":{},"data":{"posts":[],"users":[{"a":1},{"b":2}]}}]}'),
  'JSON of phpMyAdmin': json('[{"type":"header"},{"type":"table","name":"t","data":[{"a":"1"},{"b":"2"}]}]'),
  'JSON of Django': json(
    '[{"model":"a.b","pk":1,"fields":{"x":1}},{"model":"c.d","pk":1,"fields":{"y":"é"}}]',
  ),
  'documents of JSON': json('{\n "email": "a",\n "l": [\n {}\n ]\n}\n{\n "email": "b"\n}'),
  'lines of JSON': json('{"_id":{"$oid":"1"},"n":1.0}\n{"_id":{"$oid":"2"},"d":{"$date":5}}\n{"_id":"3"}'),
  'COPY of PostgreSQL': [{ format: 'sql' }, fixture('pg-copy.sql')],
  'INSERT of PostgreSQL': [{ format: 'sql' }, fixture('pg-rows-per-insert.sql')],
  MariaDB: [{ format: 'sql' }, fixture('mariadb-plain.sql')],
  SQLite: [{ format: 'sql' }, fixture('sqlite.sql')],
  LDIF: [{ format: 'ldif' }, sampleBytes('ldif/export.ldif')],
  shadow: [{ format: 'shadow' }, sampleBytes('shadow/shadow')],
};

/** Rows of each table, and the problem that stops the file. Throws if anything but a FileProblem is thrown. */
async function read(bytes: Buffer, options: ReadOptions, cuts: number | readonly number[] = 65_536) {
  const container = async function* (
    chunks: AsyncIterable<Buffer>,
    _: ReadOptions,
    wanted: Parameters<Awaited<ReturnType<typeof openContainer>>['read']>[0],
  ) {
    yield* (await openContainer({ name: 'x', open: () => chunks }, options)).read(wanted);
  };
  const chunks = { [Symbol.asyncIterator]: () => chunksOf(bytes, cuts) };
  const { tables, problem } = await readTables(container, chunks, options);
  const rows = Object.entries(tables).map(([name, table]) => [name, withCodes(table.rows)] as const);
  return { rows: new Map(rows), problem: problem?.message, code: problem?.code };
}

describe.each(Object.entries(FILES))('%s', (_, [options, bytes]) => {
  it('gives the rows before it is truncated, wherever that is', async () => {
    const whole = await read(bytes, options);
    expect(whole.problem).toBeUndefined();
    const step = Math.ceil(bytes.length / 60);
    let [tried, truncated] = [0, 0];
    for (let length = step; length < bytes.length; length += step) {
      const { rows, code } = await read(bytes.subarray(0, length), options);
      tried += 1;
      if (code !== undefined) truncated += 1;
      for (const [name, some] of rows) {
        // The last row may be cut.
        const sure = some.slice(0, -1);
        expect(sure).toEqual(whole.rows.get(name)?.slice(0, sure.length));
      }
    }
    // Lines may end anywhere. All other files show that their end is missing.
    if (options.format === 'sql') expect(truncated).toBeGreaterThan(tried / 2);
    if (options.format === 'json' && bytes[0] === 0x5b) expect(truncated).toBe(tried);
  });

  it('gives the same rows and the same problem however it is cut, with any bytes changed', async () => {
    const signs = [...'\'"`\\(){}[];:,|\n\r\t.$-/*#NE0x '].map((sign) => sign.charCodeAt(0));
    const byte = fc.oneof(fc.constantFrom(...signs), fc.nat(255));
    const changes = fc.array(fc.tuple(fc.nat(), byte, fc.boolean()), { maxLength: 6 });
    const cuts = fc.array(fc.nat(), { maxLength: 5 });
    const csv =
      options.format === 'csv' ? fc.constantFrom(options.csv, ...CSV_WRITER_NAMES) : fc.constant(undefined);
    const sample = bytes.subarray(0, bytes.lastIndexOf('\n', 2_000) + 1 || bytes.length);
    await fc.assert(
      fc.asyncProperty(
        changes,
        cuts,
        csv,
        fc.integer({ min: 1, max: 9 }),
        async (list, places, name, size) => {
          let changed = Buffer.from(sample);
          for (const [place, to, isInserted] of list) {
            const at = place % changed.length;
            const rest = changed.subarray(isInserted ? at : at + 1);
            changed = Buffer.concat([changed.subarray(0, at), Buffer.of(to), rest]);
          }
          const told = name === undefined ? options : { ...options, csv: name };
          const whole = await read(changed, told);
          expect(await read(changed, told, size)).toEqual(whole);
          expect(
            await read(
              changed,
              told,
              places.map((place) => place % (changed.length + 1)),
            ),
          ).toEqual(whole);
          // However rows are torn, each takes at least one byte.
          expect([...whole.rows.values()].flat().length).toBeLessThan(changed.length);
        },
      ),
      { numRuns: RUNS },
    );
  });
});

it('a file that is not wanted is still read to its end', async () => {
  for (const [options, bytes] of Object.values(FILES)) {
    const { read } = await openContainer(fileOf(bytes), options);
    for await (const batch of read(() => false)) expect(batch).toBeUndefined();
  }
});
