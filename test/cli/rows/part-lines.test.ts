import { expect, it } from 'vitest';
import { DeferredLines, withBlanks } from '../../../src/cli/rows/part-lines.ts';
import { RowLedger } from '../../../src/cli/rows/row-ledger.ts';
import type { Verdict } from '../../../src/sources/pipeline/verdict.ts';

const row: Verdict = { file: 'f', row: 1, table: '', result: 'import' };

it('deferred lines send nothing before the first row, then a blank line for each skipped row from time to time', () => {
  let nowMs = 0;
  const ledger = new RowLedger(1, () => {});
  const deferred = new DeferredLines(ledger, 0, () => nowMs);
  const rows = (count: number) => Array.from({ length: count }, () => ledger.add(row, true)).at(-1) ?? 0;
  rows(10);
  nowMs += 60_000;
  expect(deferred.isReady()).toBe(false);
  deferred.add({ row: rows(1), line: '{}', after: [] });
  expect([deferred.isReady(), deferred.take(), deferred.isReady()]).toEqual([
    true,
    `${'\n'.repeat(10)}{}\n`,
    false,
  ]);
  rows(3);
  expect(deferred.isReady()).toBe(false);
  deferred.add({ row: rows(1), line: '{}', after: [1] });
  rows(5);
  nowMs += 5000;
  expect([deferred.isReady(), deferred.take(), deferred.isReady()]).toEqual([true, '\n\n\n', false]);
  nowMs += 5000;
  expect(deferred.isReady()).toBe(false);
  deferred.close();
  expect([deferred.isClosed, deferred.size]).toEqual([true, 2]);
});

it('deferred lines need no large piece for a row that comes after millions', () => {
  const ledger = new RowLedger(1, () => {});
  const deferred = new DeferredLines(ledger, 0);
  deferred.add({ row: 200_001, line: '{}', after: [] });
  const pieces: string[] = [];
  while (deferred.isReady()) pieces.push(deferred.take());
  expect(pieces.join('')).toBe(`${'\n'.repeat(200_000)}{}\n`);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(70_000);
});

it('pieces that are short for their time are padded with spaces, which changes nothing', () => {
  expect(withBlanks('\n\n', 5000)).toBe(`${' '.repeat(998)}\n\n`);
  expect(withBlanks('\n{}\n', 100)).toBe(`${' '.repeat(16)}\n{}\n`);
  expect(withBlanks('\n', 3_600_000)).toHaveLength(1000);
  for (const [text, elapsedMs] of [
    ['\n\n', 5],
    ['{}\n', 5000],
    ['\n'.repeat(1000), 60_000],
  ] as const)
    expect(withBlanks(text, elapsedMs)).toBe(text);
});
