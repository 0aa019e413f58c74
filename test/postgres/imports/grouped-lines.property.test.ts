import fc from 'fast-check';
import { expect, it } from 'vitest';
import { groupLines, ungroupLines } from '../../../src/postgres/imports/import-records.ts';

const gap = fc.oneof(
  fc.constantFrom(1, 2),
  fc.integer({ min: 1, max: 40 }),
  fc.integer({ min: 1000, max: 2_000_000_000 }),
);
const lines = fc
  .array(fc.tuple(gap, fc.integer({ min: 1, max: 12 }), fc.constantFrom('a', 'b', 'a "quoted" one')), {
    maxLength: 30,
  })
  .map((runs) => {
    let line = 0;
    return runs.flatMap(([gap, count, value]) =>
      Array.from({ length: count }, () => {
        line += gap;
        return [line, value] as const;
      }),
    );
  });

it('returns each line with its value', () => {
  fc.assert(
    fc.property(lines, (all) => {
      const json = groupLines(all.map(([line, value]) => [line, JSON.stringify(value)]));
      const read = [...ungroupLines<string>(JSON.parse(json))].sort(([a], [b]) => a - b);
      expect(read).toEqual(all);
    }),
    { numRuns: 1000 },
  );
});

it('reads lines that were recorded one by one', () => {
  const recorded: [number, string][] = [
    [3, 'a message'],
    [7, 'a message'],
  ];
  expect([...ungroupLines(recorded)]).toEqual(recorded);
});

it('takes a byte for a line soon after another with its value, and next to nothing for a run', () => {
  const value = JSON.stringify('the line is not JSON');
  const numbers = Array.from({ length: 2000 }, (_, index) => index);
  const scattered = numbers.map((index) => [2 * index + ((index * index) % 7 > 3 ? 1 : 0), value] as const);
  expect(groupLines(scattered).length).toBeLessThan(2000 + 50);
  expect(groupLines(numbers.map((line) => [line, value] as const)).length).toBeLessThan(50);
});
