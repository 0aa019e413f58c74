import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DUMP_WRITERS, type TableToWrite } from './dump-writers.ts';
import { type DumpRead, readDump } from './read-dump.ts';

/** Runs of each property of each writer. RUNS sets another number. */
const RUNS = Number(process.env.RUNS ?? 60);

const AWKWARD = [
  "'",
  "''",
  '\\',
  '"',
  '`',
  '),(',
  ');',
  ';',
  '\n',
  '\r\n',
  '\n\\.\n',
  '\\.',
  '\\N',
  '--',
  '/*',
  '*/',
  '#',
  '$$',
  '\t',
  ']',
  '[',
  '😀',
  'é',
  '汉',
  '\nGO\n',
  "'\nINSERT INTO x VALUES (1);\n",
  'NULL',
  '\x1a',
  '\v',
  '\0',
];

const textOf = (takesNul: boolean) => {
  const pieces = AWKWARD.filter((piece) => takesNul || piece !== '\0');
  const piece = fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'grapheme', maxLength: 6 }));
  const text = fc.array(piece, { maxLength: 6 }).map((some) => some.join('').toWellFormed());
  return takesNul ? text : text.map((some) => some.replaceAll('\0', ''));
};

const name = fc.constantFrom(
  'users',
  'Users',
  'odd "name"',
  'ti`ck',
  'br]acket',
  'semi;colon',
  "quo'te",
  'é漢',
  '(',
  'select',
);

const tablesOf = (takesNul: boolean): fc.Arbitrary<TableToWrite[]> =>
  fc.uniqueArray(name, { minLength: 1, maxLength: 3 }).chain((names) =>
    fc.tuple(
      ...names.map((table) =>
        fc.uniqueArray(name, { minLength: 1, maxLength: 5 }).chain((columns) =>
          fc.record({
            name: fc.constant(table),
            columns: fc.constant(columns),
            rows: fc.array(
              fc.array(fc.option(textOf(takesNul), { freq: 6 }), {
                minLength: columns.length,
                maxLength: columns.length,
              }),
              { maxLength: 60 },
            ),
          }),
        ),
      ),
    ),
  );

const lastPart = (table: string) => table.replace(/^(?:public|dbo)\./, '');

const recordsOf = ({ columns, rows }: TableToWrite) =>
  rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null])));

const readRows = ({ rows }: DumpRead) =>
  Object.fromEntries(Object.entries(rows).map(([table, some]) => [lastPart(table), some]));

const rowsWritten = (tables: readonly TableToWrite[]) =>
  Object.fromEntries(
    tables.filter(({ rows }) => rows.length > 0).map((table) => [table.name, recordsOf(table)]),
  );

/**
 * A window holds 256 KiB and chunks of any size fill it. The padding moves the end of the window into the
 * dump.
 */
const PADDING = `/* ${'x'.repeat(262_144 - 4000)} */\n`;

describe.each(DUMP_WRITERS)('$title', ({ write, takesNul }) => {
  it('returns what was written, however it is cut into chunks and windows', async () => {
    const property = fc.asyncProperty(
      tablesOf(takesNul),
      fc.integer({ min: 1, max: 5000 }),
      fc.integer({ min: 0, max: 4000 }),
      async (tables, chunkBytes, shift) => {
        const dump = write(tables);
        // After the part that shows the dialect.
        const headEnd = dump.indexOf('\n', 30) + 1;
        const padded = `${dump.slice(0, headEnd)}${PADDING}${' '.repeat(shift)}\n${dump.slice(headEnd)}`;
        for (const text of [dump, padded]) {
          const read = await readDump(text, { chunkBytes: text === dump ? chunkBytes : 65_536 });
          expect(read.problem).toBeUndefined();
          expect(readRows(read)).toEqual(rowsWritten(tables));
        }
      },
    );
    await fc.assert(property, { numRuns: RUNS });
  });

  it('skips tables that are not wanted', async () => {
    const property = fc.asyncProperty(
      tablesOf(takesNul),
      fc.integer({ min: 1, max: 3000 }),
      async (tables, chunkBytes) => {
        const wantedName = tables.at(-1)?.name ?? '';
        const read = await readDump(write(tables), {
          chunkBytes,
          wanted: (table) => lastPart(table.name) === wantedName,
        });
        expect(read.problem).toBeUndefined();
        expect(readRows(read)).toEqual(rowsWritten(tables.slice(-1)));
        const asked = read.asked.map((table) => lastPart(table.name));
        expect(new Set(asked).size).toBe(asked.length);
      },
    );
    await fc.assert(property, { numRuns: RUNS });
  });

  it('returns the first rows of a truncated dump, and reports the truncation', async () => {
    const property = fc.asyncProperty(
      tablesOf(takesNul),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (tables, part) => {
        const dump = Buffer.from(write(tables));
        const cut = Math.floor(part * dump.length);
        const read = await readDump(dump.subarray(0, cut));
        const whole = rowsWritten(tables);
        for (const [table, rows] of Object.entries(readRows(read))) {
          expect(rows).toEqual(whole[table]?.slice(0, rows.length));
        }
        if (read.problem !== undefined) {
          expect(read.problem.code).toBe('FILE_TRUNCATED');
          expect(read.problem.message).toContain(`byte ${cut},`);
        }
      },
    );
    await fc.assert(property, { numRuns: RUNS });
  });
});
