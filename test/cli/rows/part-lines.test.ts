import { expect, it } from 'vitest';
import { LateLines } from '../../../src/cli/rows/part-lines.ts';
import { RowLedger } from '../../../src/cli/rows/row-ledger.ts';
import type { Verdict } from '../../../src/sources/pipeline/verdict.ts';

const row: Verdict = { file: 'f', row: 1, table: '', result: 'import' };

it('late lines: nothing is sent before the first; then a blank line for each row now and then, up to the next', () => {
  let nowMs = 0;
  const ledger = new RowLedger(1, () => {});
  const late = new LateLines(ledger, 0, () => nowMs);
  const rows = (count: number) => Array.from({ length: count }, () => ledger.add(row)).at(-1) ?? 0;
  rows(10);
  nowMs += 60_000;
  expect(late.isReady()).toBe(false);
  late.add({ row: rows(1), line: '{}', after: [] });
  expect([late.isReady(), late.take(), late.isReady()]).toEqual([true, `${'\n'.repeat(10)}{}\n`, false]);
  rows(3);
  expect(late.isReady()).toBe(false);
  late.add({ row: rows(1), line: '{}', after: [1] });
  rows(5);
  nowMs += 5000;
  expect([late.isReady(), late.take(), late.isReady()]).toEqual([true, '\n\n\n', false]);
  nowMs += 5000;
  expect(late.isReady()).toBe(false);
  late.close();
  expect([late.isClosed, late.size]).toEqual([true, 2]);
});

it('late lines: a row that comes after millions needs no piece of that size', () => {
  const ledger = new RowLedger(1, () => {});
  const late = new LateLines(ledger, 0);
  late.add({ row: 200_001, line: '{}', after: [] });
  const pieces: string[] = [];
  while (late.isReady()) pieces.push(late.take());
  expect(pieces.join('')).toBe(`${'\n'.repeat(200_000)}{}\n`);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(70_000);
});
