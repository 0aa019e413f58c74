import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RawLine } from '../../../src/imports/input/line-splitter.ts';
import { LineMarks, lineMark, readMarks } from '../../../src/imports/stream/line-marks.ts';

const bytesOf = (lines: readonly RawLine[]) => {
  const marks = new LineMarks();
  marks.add(lines);
  return marks.bytes();
};

/** Texts that often equal the one before, sometimes many times. */
const texts = fc
  .array(
    fc.tuple(
      fc.constantFrom(undefined, '', ' ', 'x', '{}', 'é', '😀', 'seven77', 'eight888', 'x'.repeat(100)),
      fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 100, max: 300 })),
    ),
    { maxLength: 12 },
  )
  .map((runs) => runs.flatMap(([text, count]) => Array<string | undefined>(count).fill(text)));

it('reads back the marks of all lines, however they were added', () => {
  fc.assert(
    fc.property(texts, fc.nat(30), (all, cut) => {
      const lines = all.map((text, index): RawLine => ({ line: index + 1, text }));
      const marks = new LineMarks();
      marks.add(lines.slice(0, cut));
      marks.add(lines.slice(cut));
      const expected = lines.map(lineMark);
      expect(readMarks(marks.bytes())).toEqual(expected);
      marks.clear();
      expect(marks.bytes()).toHaveLength(0);
    }),
    { numRuns: 200 },
  );
});

it('takes no more room than the lines themselves', () => {
  const text = fc.oneof(fc.string({ maxLength: 12 }), fc.string({ unit: 'binary', maxLength: 12 }));
  fc.assert(
    fc.property(fc.array(text, { maxLength: 50 }), (all) => {
      const lines = all.map((text, index): RawLine => ({ line: index + 1, text }));
      expect(bytesOf(lines).length).toBeLessThanOrEqual(
        Buffer.byteLength(all.map((one) => `${one}\n`).join('')),
      );
    }),
    { numRuns: 1000 },
  );
});

it('stores a run of lines as one', () => {
  const blank: RawLine[] = Array.from({ length: 64_000 }, (_, index) => ({ line: index + 1, text: '' }));
  expect(bytesOf(blank).length).toBeLessThanOrEqual(4);
});

it('distinguishes lines by their text', () => {
  const all = ['', 'a', 'b', 'a ', 'é', 'seven77', 'eight888', 'eight889', undefined];
  const mark = (text: string | undefined) => lineMark({ line: 1, text });
  expect(new Set(all.map(mark)).size).toBe(all.length);
  expect([' ', '\t ', ' '.repeat(1000)].map(mark)).toEqual(Array(3).fill(mark('')));
});
