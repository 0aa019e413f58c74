import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ExactNumber } from '../../../../src/lib/json/exact-json.ts';
import type { ReadTables } from '../read-whole.ts';
import { readAll } from './read-all.ts';

const RUNS = Number(process.env.RUNS ?? 100);

/** Texts with everything that could confuse a reader of brackets and quotes. */
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom(...'"\\{}[],:\n', '\\"', '$oid', '$2b$10$', '__proto__', 'ä😀', '},{'),
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
const rowsIn = ({ tables, problem }: ReadTables, name: string) => {
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
