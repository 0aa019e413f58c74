import fc from 'fast-check';
import { expect, it } from 'vitest';
import { partIdsOf, partOf, readPartId, rowOf } from '../../src/cli/import-id.ts';

it('the lines of all parts are the rows, each once and in order', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 64 }), fc.integer({ min: 1, max: 20_000 }), (parallel, rows) => {
      const lines = Array.from({ length: parallel }, () => 0);
      for (let row = 1; row <= rows; row += 1) {
        const part = partOf(row, parallel);
        const line = (lines[part] ?? 0) + 1;
        lines[part] = line;
        if (rowOf(line, part, parallel) !== row) return false;
      }
      return rowOf(rows, parallel, parallel) === rows && rowOf(rows, 0, 1) === rows;
    }),
    { numRuns: 50 },
  );
});

it('the part of a row never changes, because imports in progress depend on it', () => {
  expect([1, 100, 101, 200, 201, 300, 301].map((row) => partOf(row, 3))).toEqual([0, 0, 1, 1, 2, 2, 0]);
  expect(partIdsOf('mine', 3)).toEqual(['mine.1of3', 'mine.2of3', 'mine.3of3', 'mine.0of3']);
  expect(partIdsOf('mine', 1)).toEqual(['mine']);
});

it('the id of a part contains its number', () => {
  for (const parallel of [2, 3, 64])
    for (const [part, id] of partIdsOf('a.1of2', parallel).entries())
      expect(readPartId(id)).toEqual({ importId: 'a.1of2', part, parallel });
  for (const id of ['mine', 'mine.4of3', 'mine.1of1', 'mine.01of3', '.1of3', 'mine.1of3-new', 'mine.-1of3'])
    expect(readPartId(id)).toBeUndefined();
});
