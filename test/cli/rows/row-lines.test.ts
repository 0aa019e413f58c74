import { expect, it } from 'vitest';
import { RowLedger } from '../../../src/cli/rows/row-ledger.ts';
import { Condition, linesOf, withBlanks } from '../../../src/cli/rows/row-lines.ts';
import type { Verdict } from '../../../src/sources/pipeline/verdict.ts';

const BATCH = 100;

/** Lines of an endless series of rows, of which some are not sent. */
function endless({ isSent = () => true }: { isSent?: (row: number) => boolean } = {}) {
  const final: number[] = [];
  const ledger = new RowLedger({ created: 0, updated: 0, disabled: 0 }, ({ row }) => void final.push(row));
  const condition = new Condition();
  const [over, interrupted] = [new AbortController(), new AbortController()];
  async function* rows() {
    for (let row = 1; ; row += BATCH)
      yield Array.from({ length: BATCH }, (_, index): Verdict => {
        const number = row + index;
        const base = { file: 'f', row: number, table: '' };
        return isSent(number)
          ? { ...base, result: 'import', line: `${number}` }
          : { ...base, result: 'skip' };
      });
  }
  const lines = linesOf(
    {
      ...{ ledger, condition, rows, interrupted: interrupted.signal, onBatch: () => {} },
      ...{ needsOriginals: false, mentionsAll: false, disables: false },
    },
    over.signal,
  );
  const settle = (row: number, status = 'CREATED') => {
    const isExpected = ledger.settle(row, { line: row, status });
    condition.wake();
    return isExpected;
  };
  return { ledger, lines, final, over, interrupted, settle };
}

it('stops reading if nothing is answered, and goes on after an answer', async () => {
  const { ledger, lines, over, settle } = endless();
  for (let rows = BATCH; rows <= 50_000; rows += BATCH) await lines.next();
  expect([ledger.rows, ledger.awaited]).toEqual([50_000, 50_000]);
  const next = lines.next();
  await new Promise(setImmediate);
  expect(ledger.rows).toBe(50_000);
  expect(settle(1)).toBe(true);
  expect((await next).value).toMatch(/^50001\n/);
  const waiting = lines.next();
  over.abort();
  expect(await waiting).toEqual({ done: true, value: undefined });
});

it('passes rows on in order, each with its own answer', async () => {
  const { ledger, lines, final, settle } = endless({ isSent: (row) => row % 2 === 0 });
  expect((await lines.next()).value?.split('\n').slice(0, 4)).toEqual(['', '2', '', '4']);
  // Not the next one, not sent, and not there.
  expect([4, 1, 0, 101].map((row) => settle(row))).toEqual([false, false, false, false]);
  expect([settle(2), settle(2), final]).toEqual([true, false, [1, 2, 3]]);
  // A deferred row is passed on when its result comes.
  expect([settle(4, 'DEFERRED'), settle(6), final.slice(3)]).toEqual([true, true, [5, 6, 7]]);
  expect([settle(4), settle(4), final.slice(6)]).toEqual([true, false, [4]]);
  expect([ledger.awaited, ledger.answers]).toEqual([47, 3]);
});

it('waits after Ctrl-C for answers to what was sent, and then throws', async () => {
  const { ledger, lines, final, interrupted, settle } = endless();
  await lines.next();
  interrupted.abort(new Error('enough'));
  const ended = expect(lines.next()).rejects.toThrow('enough');
  for (let row = 1; row <= BATCH; row += 1) expect(settle(row)).toBe(true);
  await ended;
  expect([ledger.awaited, final.length]).toEqual([0, BATCH]);
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

it('names the largest member of a line that the service finds too long', async () => {
  const final: Verdict[] = [];
  const ledger = new RowLedger({ created: 0, updated: 0, disabled: 0 }, (row) => void final.push(row));
  const base = { file: 'f', table: '', result: 'import' as const };
  const userMetadata = { plan: 'free', biography: 'x'.repeat(2000) };
  async function* rows() {
    yield [{ ...base, row: 1, line: JSON.stringify({ userMetadata }) }];
  }
  const lines = linesOf(
    {
      ...{ ledger, condition: new Condition(), rows, interrupted: new AbortController().signal },
      ...{ needsOriginals: false, mentionsAll: false, disables: false, onBatch: () => {} },
    },
    new AbortController().signal,
  );
  await lines.next();
  expect(ledger.settle(1, { line: 1, status: 'FAILED', code: 'LINE_TOO_LONG', message: 'too long' })).toBe(
    true,
  );
  expect(final).toMatchObject([
    { result: 'error', message: 'too long, most of it in userMetadata.biography' },
  ]);
});
