import { expect, it } from 'vitest';
import { ChunkIds } from '../../../src/imports/resolve/chunk-ids.ts';
import { emptyWriteSet } from '../../../src/imports/resolve/write-set.ts';
import { settledResult } from '../../../src/imports/stream/chunk-result.ts';
import { DeferredLines } from '../../../src/imports/stream/deferred-lines.ts';
import { groupLines, ungroupLines } from '../../../src/postgres/imports/grouped-lines.ts';

it('deferred lines are decided and recorded in order, in whatever order a resumed import finds them', () => {
  const deferred = new DeferredLines();
  for (const line of [4, 2, 9, 3]) deferred.add({ line, parsed: undefined, settled: undefined }, 1);
  expect(deferred.all().map(({ line }) => line)).toEqual([2, 3, 4, 9]);
  const lines = deferred.unsettled();
  const outcome = { status: 'FAILED' as const, code: 'EMAIL_ALREADY_EXISTS' as const, message: 'exists' };
  const writeSet = { ...emptyWriteSet(ChunkIds.create()), outcomes: lines.map(() => outcome) };
  const recorded = settledResult(writeSet, lines).recordedOutcomes;
  const stored = groupLines(recorded.map(([line, one]) => [line, JSON.stringify(one)]));
  expect([...ungroupLines(JSON.parse(stored))]).toEqual([2, 3, 4, 9].map((line) => [line, outcome]));
});
