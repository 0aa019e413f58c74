import fc from 'fast-check';
import { expect, it } from 'vitest';
import { copyArray, copyText } from '../../../src/postgres/imports/copy-people.ts';
import { useTestDatabase } from '../../support/database.ts';

/** Everything Postgres can store, with many characters that have a meaning in the format. */
const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\\',
        '\\N',
        '\\.',
        '\n',
        '\r',
        '\t',
        '\b',
        '\f',
        '\v',
        '"',
        '{',
        '}',
        ',',
        'NULL',
        ' ',
      ),
      fc.string({ unit: 'binary', maxLength: 5 }).map((text) => text.replaceAll('\0', '')),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''));
const rows = fc.array(fc.tuple(fc.option(texts, { nil: undefined }), fc.array(texts, { maxLength: 3 })), {
  minLength: 1,
  maxLength: 300,
});

it('Postgres reads back what was written', async () => {
  const { db } = await useTestDatabase();
  await fc.assert(
    fc.asyncProperty(rows, async (written) => {
      const lines = written.map(([text, array]) => `${copyText(text)}\t${copyArray(array)}\n`);
      const read = await db.connection(async (connection) => {
        await connection.query('create temporary table read (n serial, value text, list text[])');
        await connection.copy([
          {
            statement: 'copy read (value, list) from stdin',
            rows: Buffer.from(lines.join('')),
            count: lines.length,
          },
        ]);
        const stored = await connection.query('select value, list from read order by n');
        await connection.query('drop table read');
        return stored;
      });
      expect(read).toEqual(
        written.map(([text, list]) => ({ value: text ?? null, list: list.length === 0 ? null : list })),
      );
    }),
    { numRuns: 50 },
  );
});
