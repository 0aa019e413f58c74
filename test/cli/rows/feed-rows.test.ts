import { expect, it } from 'vitest';
import { feedRows } from '../../../src/cli/rows/feed-rows.ts';
import { Condition, PartLines } from '../../../src/cli/rows/part-lines.ts';
import { RowLedger } from '../../../src/cli/rows/row-ledger.ts';
import { until } from '../../../src/lib/async/until.ts';
import type { Verdict } from '../../../src/sources/pipeline/verdict.ts';

const rowOf = (row: number): Verdict => ({
  ...{ file: 'f', row, table: '' },
  result: 'import',
  line: `${row}`,
});

/** Feeds an endless series of rows to three parts. */
function feeding(isOfParts: (row: number) => boolean) {
  const final: number[] = [];
  const written = { created: 0, updated: 0, disabled: 0 };
  const ledger = new RowLedger(3, written, ({ row }) => void final.push(row));
  const condition = new Condition();
  const stop = new AbortController();
  const interrupted = new AbortController();
  const parts = [0, 1, 2].map(() => new PartLines());
  async function* batches() {
    for (let row = 1; ; row += 100) yield Array.from({ length: 100 }, (_, index) => rowOf(row + index));
  }
  const done = feedRows(
    {
      ...{ ledger, condition, parts, isOfParts: ({ row }: Verdict) => isOfParts(row) },
      ...{ needsOriginals: false, mentionsAll: false, disables: false },
      ...{ onBatch: () => {}, interrupted: interrupted.signal, over: stop.signal },
    },
    batches(),
  );
  const settle = (row: number, part: number) => {
    const isExpected = ledger.settle(row, part, { line: row, status: 'CREATED' });
    condition.wake();
    return isExpected;
  };
  return { ledger, parts, final, stop, interrupted, done, settle };
}

/** Takes everything a part has ready, as the service would. */
const drain = (lines: PartLines | undefined) => {
  let text = '';
  while (lines?.isReady()) text += lines.take();
  return text.split('\n').filter((line) => line !== '');
};

it('stops reading if one part is not answered, whatever the other parts do', async () => {
  const { ledger, parts, final, stop, done, settle } = feeding(() => true);
  const isStalled = async () => {
    const { rows } = ledger;
    for (const part of [0, 2]) for (const line of drain(parts[part])) settle(Number(line), part);
    drain(parts[1]);
    await new Promise((resolve) => setTimeout(resolve, 5));
    return ledger.rows === rows;
  };
  expect(await until(isStalled, 30_000)).toBe(true);
  expect([final.length, ledger.size, ledger.awaited]).toEqual([100, 50_000, 16_700]);
  expect(ledger.slowest).toBe(1);
  stop.abort();
  await done;
});

it('leaves a blank line for each row that other parts send, and waits only for rows that were sent', async () => {
  const { ledger, parts, final, interrupted, done, settle } = feeding((row) => row % 2 === 1);
  await until(() => parts.every((one) => one.isReady()), 10_000);
  interrupted.abort(new Error('enough'));
  const ended = expect(done).rejects.toThrow('enough');
  expect(settle(3, 0)).toBe(false);
  const first = parts[0]?.take() ?? '';
  expect(first.split('\n').slice(0, 5)).toEqual(['1', '', '3', '', '5']);
  for (const line of first.split('\n')) if (line !== '') settle(Number(line), 0);
  for (const [part, lines] of parts.entries()) for (const line of drain(lines)) settle(Number(line), part);
  await ended;
  expect([ledger.awaited, final.slice(0, 3)]).toEqual([0, [1, 3, 5]]);
});
