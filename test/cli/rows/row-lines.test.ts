import { expect, it } from 'vitest';
import { RowLedger } from '../../../src/cli/rows/row-ledger.ts';
import { linesOf } from '../../../src/cli/rows/send-rows.ts';
import type { Verdict } from '../../../src/sources/pipeline/verdict.ts';

const BATCH = 100;

/** Lines of rows, by default of an endless series. */
function sending(rowsFrom: (first: number) => Omit<Verdict, 'file' | 'table' | 'row'>[] = imported) {
  const final: Verdict[] = [];
  const ledger = new RowLedger((row) => void final.push(row));
  const [over, interrupted] = [new AbortController(), new AbortController()];
  async function* rows() {
    for (let first = 1; ; first += BATCH)
      yield rowsFrom(first).map((one, index) => ({ file: 'f', table: '', row: first + index, ...one }));
  }
  const lines = linesOf(
    { rows, interrupted: interrupted.signal, files: undefined, options: OPTIONS },
    { ledger, over: over.signal, onBatch: () => {} },
  );
  const settle = (line: number, status = 'CREATED') => ledger.settle(line, { line, status });
  return { ledger, lines, final, over, interrupted, settle, passedOn: () => final.map(({ row }) => row) };
}

const OPTIONS = {
  ...{
    onConflict: 'update-unchanged' as const,
    hashingSecretId: undefined,
    matchBy: undefined,
    source: 'toy',
  },
  ...{ trustExternalIds: false, deleteMissing: undefined },
};
const batch = (rowOf: (index: number) => Omit<Verdict, 'file' | 'table' | 'row'>) =>
  Array.from({ length: BATCH }, (_, index) => rowOf(index));
const imported = (first: number) => batch((index) => ({ result: 'import', line: `${first + index}` }));

it('stops reading if nothing is answered, and goes on after an answer', async () => {
  const { ledger, lines, over, settle } = sending();
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
  const { ledger, lines, passedOn, settle } = sending((first) =>
    batch((index) =>
      index % 2 === 1 ? { result: 'import', line: `${first + index}` } : { result: 'skip' as const },
    ),
  );
  expect((await lines.next()).value?.split('\n').slice(0, 4)).toEqual(['', '2', '', '4']);
  // Not the next one, not sent, and not there.
  expect([4, 1, 0, 101].map((row) => settle(row))).toEqual([false, false, false, false]);
  expect([settle(2), settle(2), passedOn()]).toEqual([true, false, [1, 2, 3]]);
  // A deferred row is passed on when its result comes.
  expect([settle(4, 'DEFERRED'), settle(6), passedOn().slice(3)]).toEqual([true, true, [5, 6, 7]]);
  expect([settle(4), settle(4), passedOn().slice(6)]).toEqual([true, false, [4]]);
  expect([ledger.awaited, ledger.answers]).toEqual([47, 3]);
});

it('waits after Ctrl-C for answers to what was sent, and then throws', async () => {
  const { ledger, lines, final, interrupted, settle } = sending();
  await lines.next();
  interrupted.abort(new Error('enough'));
  const ended = expect(lines.next()).rejects.toThrow('enough');
  for (let row = 1; row <= BATCH; row += 1) expect(settle(row)).toBe(true);
  await ended;
  expect([ledger.awaited, final.length]).toEqual([0, BATCH]);
});

it('names the largest member of a line that the service finds too long', async () => {
  const userMetadata = { plan: 'free', biography: 'x'.repeat(2000) };
  const { ledger, lines, final } = sending(() => [
    { result: 'import', line: JSON.stringify({ userMetadata }) },
  ]);
  await lines.next();
  const answer = { line: 1, status: 'FAILED', code: 'LINE_TOO_LONG', message: 'too long' };
  expect(ledger.settle(1, answer)).toBe(true);
  expect(final).toMatchObject([
    { result: 'error', message: 'too long, most of it in userMetadata.biography' },
  ]);
});
