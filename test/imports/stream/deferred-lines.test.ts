import { expect, it } from 'vitest';
import { outcomeJson } from '../../../src/imports/resolve/outcome.ts';
import { noKnown } from '../../../src/imports/resolve/person.ts';
import { Resolver } from '../../../src/imports/resolve/resolver.ts';
import { DeferredLines, settledResult } from '../../../src/imports/stream/chunk-result.ts';
import { groupLines, ungroupLines } from '../../../src/postgres/imports/import-records.ts';
import { testVault } from '../../support/factors.ts';

it('deferred lines are decided and recorded in order, in whatever order a resumed import finds them', () => {
  const deferred = new DeferredLines();
  const parsed = { code: 'EMAIL_ALREADY_EXISTS' as const, message: 'exists' };
  for (const line of [4, 2, 9, 3]) deferred.add({ line, parsed, settled: undefined }, 1);
  expect(deferred.all().map(({ line }) => line)).toEqual([2, 3, 4, 9]);
  const lines = deferred.unsettled();
  const resolver = new Resolver(noKnown(), {
    ...{ onConflict: 'fail', matchBy: 'externalId', dryRun: false, vault: testVault(), now: 0 },
  });
  const { decisions } = resolver.settle(lines.map((line) => line.parsed));
  const recorded = settledResult(decisions, lines).recordedOutcomes;
  const stored = groupLines(recorded.map(([line, one]) => [line, outcomeJson(one)]));
  expect([...ungroupLines(JSON.parse(stored))]).toEqual(
    [2, 3, 4, 9].map((line) => [line, { status: 'FAILED', ...parsed }]),
  );
});
