import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { csvRows, readCsv } from '../../../../src/sources/containers/csv/read-csv.ts';
import { readWhole } from '../read-whole.ts';

const DELIMITERS = { rfc4180: ',', semicolons: ';', tabs: '\t' } as const;
const END_OF_LINE = ['\n', '\r\n', '\r'];

/** Texts with many characters that have a meaning in CSV. */
const text = (special: readonly string[]) =>
  fc
    .array(
      fc.oneof(
        fc.constantFrom(...special, 'a', 'é', '🔑', ' ', '1', "'", '{', '}', ':', 'NULL'),
        fc.string({ unit: 'grapheme', maxLength: 4 }),
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join('').toWellFormed().replaceAll('\0', ''));

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

it('reads what was written by the rules in the same way as csv-parse, cut anywhere', async () => {
  const cell = text(['"', '""', ',', ';', '\t', '\n', '\r\n', '\r', '|']);
  const file = fc.record({
    csv: fc.constantFrom('rfc4180', 'semicolons', 'tabs'),
    end: fc.constantFrom(...END_OF_LINE),
    width: fc.integer({ min: 2, max: 5 }),
    rows: fc.array(fc.array(fc.tuple(cell, fc.boolean()), { minLength: 5, maxLength: 5 }), { maxLength: 30 }),
    cuts: fc.array(fc.nat(2_000)),
  });
  await fc.assert(
    fc.asyncProperty(file, async ({ csv, end, width, rows, cuts }) => {
      const delimiter = DELIMITERS[csv];
      const names = Array.from({ length: width }, (_, index) => `c${index}`);
      const lines = rows.map((row) =>
        row
          .slice(0, width)
          // csv-parse treats a carriage return as a line end only if configured. Our reader requires quotes
          // around it as well.
          .map(([value, isQuoted]) => (isQuoted || /["\n\r,;\t]|^$/.test(value) ? quoted(value) : value))
          .join(delimiter),
      );
      const written = [names.join(delimiter), ...lines].map((line) => line + end).join('');
      const reference: Record<string, string | null>[] = parse(written, {
        delimiter,
        columns: true,
        record_delimiter: end,
        cast: (value, { header, quoting }) =>
          !header && !quoting && (value === 'NULL' || value === '\\N') ? null : value,
      });
      const bytes = Buffer.from(written);
      const places = cuts.map((cut) => cut % (bytes.length + 1));
      const whole = await readWhole(readCsv, bytes, { csv }, places);
      expect(whole.records).toEqual(reference);
      expect(whole.records).toHaveLength(rows.length);
    }),
    { numRuns: 100 },
  );
});

it('gives the same records for any blocks of text', () => {
  const text = `a,b,c\n${'\'x,y,"q""\\n,\n"\n'.repeat(3)}${'O\'N,z,"\\u"\n'.repeat(3)}`;
  const recordsOf = (sizes: number) => {
    const rows = csvRows({});
    const pieces = text.match(new RegExp(`[^]{1,${sizes}}`, 'g')) ?? [];
    return [...pieces.flatMap((piece) => rows.push(piece, false, true)), ...rows.push('', true, true)];
  };
  const whole = recordsOf(text.length);
  expect(whole).toHaveLength(6);
  for (let size = 1; size < text.length; size += 1) expect(recordsOf(size)).toEqual(whole);
});
