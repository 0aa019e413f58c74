import { expect, it } from 'vitest';
import { feedRows } from '../../../src/cli/rows/feed-rows.ts';
import { Condition, DeferredLines, ReadyLines } from '../../../src/cli/rows/part-lines.ts';
import { RowLedger } from '../../../src/cli/rows/row-ledger.ts';
import { until } from '../../../src/lib/async/until.ts';
import type { Verdict } from '../../../src/sources/pipeline/verdict.ts';

const rowOf = (row: number, after: readonly number[] | undefined): Verdict => ({
  ...{ file: 'f', row, table: '', result: 'import', line: `${row}`, after },
});

/** Feeds an endless series of rows to three parts. */
function feeding(afterOf: (row: number) => readonly number[] | undefined) {
  const final: number[] = [];
  const ledger = new RowLedger(4, ({ row }) => void final.push(row));
  const condition = new Condition();
  const stop = new AbortController();
  const interrupted = new AbortController();
  const ready = [0, 1, 2].map(() => new ReadyLines());
  const deferred = new DeferredLines(ledger, 3);
  async function* batches() {
    for (let row = 1; ; row += 100)
      yield Array.from({ length: 100 }, (_, index) => rowOf(row + index, afterOf(row + index)));
  }
  const done = feedRows(
    {
      ...{
        ledger,
        condition,
        ready,
        deferred,
        needsOriginals: false,
        mentionsAll: false,
        disables: false,
      },
      ...{ onBatch: () => {}, interrupted: interrupted.signal, over: stop.signal },
    },
    batches(),
  );
  const settle = (row: number, part: number) => {
    const isExpected = ledger.settle(row, part, { line: row, status: 'CREATED' });
    condition.wake();
    return isExpected;
  };
  return { ledger, ready, deferred, final, stop, interrupted, done, settle };
}

/** Takes everything a part has ready, as the service would. */
const drain = (lines: ReadyLines | DeferredLines) => {
  let text = '';
  while (lines.isReady()) text += lines.take();
  return text.split('\n').filter((line) => line !== '');
};

it('stops reading if one part is not answered, whatever the other parts do', async () => {
  const { ledger, ready, final, stop, done, settle } = feeding(() => undefined);
  const isStalled = async () => {
    const { rows } = ledger;
    for (const part of [0, 2])
      for (const line of drain(ready[part] as ReadyLines)) settle(Number(line), part);
    drain(ready[1] as ReadyLines);
    await new Promise((resolve) => setTimeout(resolve, 5));
    return ledger.rows === rows;
  };
  expect(await until(isStalled, 30_000)).toBe(true);
  expect([final.length, ledger.size, ledger.awaited]).toEqual([100, 50_000, 16_700]);
  expect(ledger.slowest).toBe(1);
  stop.abort();
  await done;
});

it('holds back exactly the rows that depend on unanswered rows', async () => {
  const { ready, deferred, stop, done, settle } = feeding((row) =>
    row === 150 || row === 160 ? [50] : row === 170 ? [120] : row === 180 ? [121] : undefined,
  );
  await until(() => ready.every((one) => one.isReady()), 10_000);
  const [a, b] = [drain(ready[0] as ReadyLines), drain(ready[1] as ReadyLines)];
  expect(a.slice(0, 100)).toEqual(Array.from({ length: 100 }, (_, index) => String(index + 1)));
  expect(['149', '150', '151', '160', '170'].map((row) => b.includes(row))).toEqual([
    true,
    false,
    true,
    false,
    false,
  ]);
  expect(drain(deferred)).toEqual([]);
  for (let row = 1; row <= 50; row += 1) settle(row, 0);
  // The rows they depend on have been answered. The next row waits for another one.
  expect([deferred.take(), deferred.isReady()]).toEqual([
    `${'\n'.repeat(149)}150\n${'\n'.repeat(9)}160\n`,
    false,
  ]);
  for (let row = 101; row <= 121; row += 1) settle(row, 1);
  expect(deferred.take()).toBe(`${'\n'.repeat(9)}170\n${'\n'.repeat(9)}180\n`);
  expect(settle(160, 3)).toBe(false);
  for (const row of [150, 160, 170, 180]) settle(row, 3);
  stop.abort();
  await done;
});

it('waits for sent rows when it is interrupted, but not for rows that were held back', async () => {
  const { ledger, ready, deferred, interrupted, done, settle } = feeding((row) =>
    row % 2 === 0 ? [row - 1] : undefined,
  );
  await until(() => ready.every((one) => one.isReady()), 10_000);
  interrupted.abort(new Error('enough'));
  const ended = expect(done).rejects.toThrow('enough');
  for (const [part, lines] of ready.entries()) for (const line of drain(lines)) settle(Number(line), part);
  await ended;
  expect([ledger.awaited, deferred.size > 0]).toEqual([0, true]);
});
