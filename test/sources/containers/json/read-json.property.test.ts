import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ExactNumber } from '../../../../src/lib/json/exact-json.ts';
import { isBadRecord } from '../../../../src/sources/containers/table.ts';
import { type Read, readAll, withCodes } from './read-all.ts';

const RUNS = Number(process.env.RUNS ?? 100);

/** Texts with everything that could confuse a reader of brackets and quotes. */
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom(
    '"',
    '\\',
    '\\"',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '\n',
    '$oid',
    '$2b$10$',
    '__proto__',
    'ä😀',
    '},{',
  ),
);
const values = fc.letrec<{ value: unknown; object: object }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    texts,
    fc.oneof(
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0)),
    ),
    fc.constantFrom(null, true, false),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc
    .array(
      fc.tuple(
        texts.filter((key) => !key.startsWith('$')),
        tie('value'),
      ),
      { maxLength: 4 },
    )
    .map((entries) => Object.fromEntries(entries)),
}));
/** Records that are neither Django fixtures nor contain users. */
const records = fc.array(values.object, { maxLength: 30 });
const spaces = fc.constantFrom('', ' ', '\n', '\r\n', '\t', '  \n\n');

/** Writes JSON with spaces from `next` between all tokens. */
function write(value: unknown, next: () => string): string {
  if (Array.isArray(value)) {
    return `[${next()}${value.map((item) => write(item, next)).join(`${next()},${next()}`)}${next()}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}${next()}:${next()}${write(member, next)}`,
  );
  return `{${next()}${members.join(`${next()},${next()}`)}${next()}}`;
}

async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let at = 0;
  for (let turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    // The same memory is reused for each chunk, as some sources do.
    yield Buffer.from(bytes.subarray(at, at + size));
    at += size;
  }
}
const sizes = fc
  .array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 5 })
  .filter((all) => all.some(Boolean));

/** Converts exact numbers to what `JSON.parse` would have returned. */
function plain(value: unknown): unknown {
  if (value instanceof ExactNumber) return Number(value.text);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
}
const rowsIn = ({ tables, problem }: Read, name: string) => {
  expect(problem).toBeUndefined();
  return (tables[name]?.rows ?? []).map(plain);
};

it('gives what JSON.parse gives, with any spaces, cut anywhere', async () => {
  await fc.assert(
    fc.asyncProperty(
      records,
      values.object,
      fc.array(spaces, { minLength: 1, maxLength: 7 }),
      sizes,
      async (list, other, gaps, cuts) => {
        let turn = 0;
        const next = () => gaps[turn++ % gaps.length] ?? '';
        const rows = JSON.parse(JSON.stringify(list));
        const array = Buffer.from(next() + write(list, next) + next());
        expect(rowsIn(await readAll(cut(array, cuts)), '')).toEqual(rows);
        const object = Buffer.from(write({ x: other, users: list, y: [other] }, next));
        expect(rowsIn(await readAll(cut(object, cuts)), 'users')).toEqual(rows);
        const ghost = Buffer.from(
          write({ db: [{ meta: other, data: { a: list, users: list } }, other] }, next),
        );
        expect(rowsIn(await readAll(cut(ghost, cuts)), 'db.0.data.users')).toEqual(rows);
        const marked = list.map((record, index) => ({ _id: index, ...record }));
        // The first document shows that documents have several lines.
        const documents = Buffer.from(
          marked.map((record, index) => `${write(record, index === 0 ? () => '\n' : next)}\n`).join(''),
        );
        if (list.length === 0) return;
        expect(rowsIn(await readAll(cut(documents, cuts)), '')).toEqual(JSON.parse(JSON.stringify(marked)));
        const lines = Buffer.from(marked.map((record) => JSON.stringify(record)).join('\n'));
        expect(rowsIn(await readAll(cut(lines, cuts)), '')).toEqual(JSON.parse(JSON.stringify(marked)));
      },
    ),
    { numRuns: RUNS },
  );
});

const FILES = [
  '[{"a":1,"b":"x\\"}"},{"ä":[{}]}, {"c":null}]',
  '{"x":{"y":[1,"ü"]},"users":[{"a":1},{"b":[]}],"z":"}"}',
  '{"db":[{"meta":{},"data":{"posts":[],"users":[{"a":1},{"b":2}]}}]}',
  '[{"type":"header"},{"type":"table","name":"t","data":[{"a":"1"},{"b":"2"}]}]',
  '[{"model":"a.b","pk":1,"fields":{"x":1}},{"model":"c.d","pk":1,"fields":{"y":"é"}}]',
  '{\n "email": "a",\n "l": [\n {}\n ]\n}\n{\n "email": "b"\n}',
  '{"_id":{"$oid":"1"},"n":1.0}\n{"_id":{"$oid":"2"},"d":{"$date":5}}\n{"_id":"3"}',
];

const rowsOf = ({ tables }: Read) =>
  Object.fromEntries(Object.entries(tables).map(([name, { rows }]) => [name, withCodes(rows)]));

it.each(FILES)('reports truncation at any byte after correct records: %s', async (file) => {
  const bytes = Buffer.from(file);
  const whole = await readAll(bytes);
  expect(whole.problem).toBeUndefined();
  // A file may also end after a line or a document.
  const isOfLines = file.includes('\n{"_id":"3"}');
  const isOfDocuments = /^\{\s*"(?:email|_id)"/.test(file);
  for (let length = 0; length < bytes.length; length += 1) {
    const { tables, problem } = await readAll(bytes.subarray(0, length));
    const before = bytes.toString('latin1', 0, length).trimEnd();
    // A truncated line is only a bad record.
    if (isOfLines && before.includes('\n')) expect(problem).toBeUndefined();
    else if (!(isOfDocuments && before.endsWith('}') && isWhole(before))) {
      expect([length, problem?.code]).toEqual([length, length === 0 ? 'FILE_UNKNOWN' : 'FILE_TRUNCATED']);
    }
    for (const [name, { rows }] of Object.entries(tables)) {
      const good = rows.filter((row) => !isBadRecord(row));
      expect(good).toEqual(whole.tables[name]?.rows.slice(0, good.length));
      expect(rows.length - good.length).toBeLessThanOrEqual(1);
    }
  }
});

const isWhole = (text: string) => text.split('{').length === text.split('}').length;

it('gives records or a problem for changed bytes, however the file is cut', async () => {
  const changes = fc.array(
    fc.tuple(fc.nat(), fc.oneof(fc.constantFrom(...Buffer.from('{}[]",:\\ \n0-e$')), fc.nat(255))),
    {
      minLength: 1,
      maxLength: 4,
    },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...FILES),
      changes,
      sizes,
      fc.boolean(),
      async (file, list, cuts, isInserted) => {
        let bytes = Buffer.from(file);
        for (const [place, byte] of list) {
          const at = place % bytes.length;
          bytes = Buffer.concat([
            bytes.subarray(0, at),
            Buffer.of(byte),
            bytes.subarray(isInserted ? at : at + 1),
          ]);
        }
        const whole = await readAll(bytes);
        const pieces = await readAll(cut(bytes, cuts));
        expect(rowsOf(pieces)).toEqual(rowsOf(whole));
        expect(pieces.problem?.message).toBe(whole.problem?.message);
        expect(whole.asked.length > 0 || whole.problem !== undefined).toBe(true);
      },
    ),
    { numRuns: RUNS * 10 },
  );
});
