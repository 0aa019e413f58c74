import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it, onTestFinished, vi } from 'vitest';
import { AppError } from '../../../src/lib/errors.ts';
import { Batcher, type BatcherOptions } from '../../../src/postgres/users/batcher.ts';

interface Run {
  items: string[];
  finish(): void;
  fail(error: Error): void;
}

/**
 * A batcher of texts whose key is their first letter, with the runs it has begun. Each run ends when the test
 * says so.
 */
function createBatcher(options: Partial<BatcherOptions<string, string>> = {}) {
  const runs: Run[] = [];
  const batcher = new Batcher<string, string>({
    key: (item) => item.charAt(0),
    run: (items) =>
      new Promise((resolve, reject) => {
        runs.push({
          items,
          finish: () => resolve(items.map((item) => `${item} done`)),
          fail: reject,
        });
      }),
    isItemFault: () => false,
    maxItems: 100,
    maxRuns: 100,
    maxPending: 1000,
    ...options,
  });
  return { batcher, runs, itemsOfRuns: () => runs.map(({ items }) => items) };
}

/** Waits for everything that does not depend on a run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
}

/** Finishes at once. Fails if an item has an exclamation mark. */
async function strictRun(items: string[]): Promise<string[]> {
  if (items.some((item) => item.includes('!'))) throw new Error('bad item');
  return items.map((item) => `${item} done`);
}

it('gives every call of a failed run the same error if no single item is at fault', async () => {
  const { batcher, runs, itemsOfRuns } = createBatcher();
  const calls = Promise.allSettled([batcher.call('a'), batcher.call('b')]);
  await settle();
  const error = new Error('gone');
  runs[0]?.fail(error);
  expect(await calls).toEqual([
    { status: 'rejected', reason: error },
    { status: 'rejected', reason: error },
  ]);
  expect(itemsOfRuns()).toEqual([['a', 'b']]);
});

it('fails a bad item alone, because the others are run one by one', async () => {
  const seen: string[][] = [];
  const { batcher } = createBatcher({
    isItemFault: () => true,
    run: (items) => {
      seen.push(items);
      return strictRun(items);
    },
  });
  const calls = await Promise.allSettled([batcher.call('a'), batcher.call('b!'), batcher.call('c')]);
  expect(calls).toEqual([
    { status: 'fulfilled', value: 'a done' },
    { status: 'rejected', reason: new Error('bad item') },
    { status: 'fulfilled', value: 'c done' },
  ]);
  expect(seen).toEqual([['a', 'b!', 'c'], ['a'], ['b!'], ['c']]);
});

it('does not run a single bad item twice', async () => {
  let runs = 0;
  const { batcher } = createBatcher({
    isItemFault: () => true,
    run: (items) => {
      runs += 1;
      return strictRun(items);
    },
  });
  await expect(batcher.call('a!')).rejects.toThrow('bad item');
  expect(runs).toBe(1);
});

it('runs the items after a failed item with the same key', async () => {
  const { batcher, runs, itemsOfRuns } = createBatcher();
  const first = batcher.call('a1');
  const second = batcher.call('a2');
  await settle();
  runs[0]?.fail(new Error('gone'));
  await expect(first).rejects.toThrow('gone');
  await settle();
  runs[1]?.finish();
  expect(await second).toBe('a2 done');
  expect(itemsOfRuns()).toEqual([['a1'], ['a2']]);
});

it('refuses calls beyond its limit, and accepts calls again when others are done', async () => {
  const { batcher, runs } = createBatcher({ maxPending: 2 });
  const calls = [batcher.call('a1'), batcher.call('a2')];
  await expect(batcher.call('b')).rejects.toMatchObject({ code: 'OVERLOADED' });
  await expect(batcher.call('b')).rejects.toBeInstanceOf(AppError);
  await settle();
  runs[0]?.finish();
  expect(await calls[0]).toBe('a1 done');
  await settle();
  const third = batcher.call('b');
  await expect(batcher.call('c')).rejects.toMatchObject({ code: 'OVERLOADED' });
  await settle();
  for (const run of runs) run.finish();
  expect(await Promise.all([calls[1], third])).toEqual(['a2 done', 'b done']);
});

it('combines calls that arrive together into one run, each with its own result', async () => {
  const { batcher, runs, itemsOfRuns } = createBatcher();
  const calls = ['c', 'a', 'b'].map((item) => batcher.call(item));
  expect(itemsOfRuns()).toEqual([]);
  await settle();
  expect(itemsOfRuns()).toEqual([['c', 'a', 'b']]);
  runs[0]?.finish();
  expect(await Promise.all(calls)).toEqual(['c done', 'a done', 'b done']);
});

it('separates equal keys, in the order of arrival', async () => {
  const { batcher, runs, itemsOfRuns } = createBatcher();
  const calls = ['a1', 'b1', 'a2', 'a3'].map((item) => batcher.call(item));
  await settle();
  expect(itemsOfRuns()).toEqual([['a1', 'b1']]);
  runs[0]?.finish();
  await settle();
  expect(itemsOfRuns().slice(1)).toEqual([['a2']]);
  runs[1]?.finish();
  await settle();
  expect(itemsOfRuns().slice(2)).toEqual([['a3']]);
  runs[2]?.finish();
  expect(await Promise.all(calls)).toEqual(['a1 done', 'b1 done', 'a2 done', 'a3 done']);
});

it('limits the items of a run and the number of simultaneous runs', async () => {
  const { batcher, runs, itemsOfRuns } = createBatcher({ maxItems: 2, maxRuns: 2 });
  const calls = [...'abcdef'].map((item) => batcher.call(item));
  await settle();
  expect(itemsOfRuns()).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  runs[1]?.finish();
  await settle();
  expect(itemsOfRuns().slice(2)).toEqual([['e', 'f']]);
  for (const run of runs) run.finish();
  expect(await Promise.all(calls)).toHaveLength(6);
});

it('starts a further run once as many items wait as run', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { batcher, runs, itemsOfRuns } = createBatcher();
  const calls = [...'abc'].map((item) => batcher.call(item));
  await settle();
  calls.push(batcher.call('d'), batcher.call('e'));
  await settle();
  expect(itemsOfRuns()).toEqual([['a', 'b', 'c']]);
  calls.push(batcher.call('f'));
  await settle();
  expect(itemsOfRuns().slice(1)).toEqual([['d', 'e', 'f']]);
  // A run of its own would have to have six.
  calls.push(batcher.call('g'));
  await settle();
  expect(runs).toHaveLength(2);
  runs[0]?.finish();
  runs[1]?.finish();
  await settle();
  expect(itemsOfRuns().slice(2)).toEqual([['g']]);
  runs[2]?.finish();
  expect(await Promise.all(calls)).toHaveLength(7);
  expect(vi.getTimerCount()).toBe(0);
});

it('begins a run some milliseconds after the last one began, however soon that ended', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { batcher, runs, itemsOfRuns } = createBatcher({ everyMs: 4 });
  const calls = [batcher.call('a')];
  await settle();
  runs[0]?.finish();
  await settle();
  calls.push(batcher.call('b'), batcher.call('c'));
  vi.advanceTimersByTime(3);
  await settle();
  expect(itemsOfRuns()).toEqual([['a']]);
  calls.push(batcher.call('d'));
  vi.advanceTimersByTime(1);
  await settle();
  expect(itemsOfRuns().slice(1)).toEqual([['b', 'c', 'd']]);
  runs[1]?.finish();
  await settle();
  vi.advanceTimersByTime(4);
  calls.push(batcher.call('e'));
  await settle();
  expect(itemsOfRuns().slice(2)).toEqual([['e']]);
  runs[2]?.finish();
  expect(await Promise.all(calls)).toHaveLength(5);
  expect(vi.getTimerCount()).toBe(0);
});

it('starts a small run as well, if the other run takes long', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { batcher, runs, itemsOfRuns } = createBatcher({ maxRuns: 2 });
  const calls = [...'abc'].map((item) => batcher.call(item));
  await settle();
  calls.push(batcher.call('d'));
  await settle();
  expect(runs).toHaveLength(1);
  vi.runAllTimers();
  await settle();
  expect(itemsOfRuns().slice(1)).toEqual([['d']]);
  for (const run of runs) run.finish();
  expect(await Promise.all(calls)).toHaveLength(4);
});

it('keeps its limits and its order for any sequence of calls', async () => {
  const calls = fc.array(
    fc.record({ key: fc.constantFrom(...'abcd'), bad: fc.boolean(), turns: fc.nat(3) }),
    { maxLength: 60 },
  );
  await fc.assert(
    fc.asyncProperty(
      calls,
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 3 }),
      async (plan, maxItems, maxRuns) => {
        const done: string[] = [];
        const running = new Set<string>();
        let runs = 0;
        const { batcher } = createBatcher({
          maxItems,
          maxRuns,
          isItemFault: () => true,
          async run(items) {
            runs += 1;
            expect(runs).toBeLessThanOrEqual(maxRuns);
            expect(items.length).toBeLessThanOrEqual(maxItems);
            for (const item of items) {
              expect(running.has(item.charAt(0))).toBe(false);
              running.add(item.charAt(0));
            }
            await nextTurn();
            for (const item of items) running.delete(item.charAt(0));
            runs -= 1;
            const results = await strictRun(items);
            done.push(...items);
            return results;
          },
        });
        const items = plan.map(({ key, bad }, index) => `${key}${index}${bad ? '!' : ''}`);
        const outcomes: Promise<PromiseSettledResult<string>[]>[] = [];
        for (const [index, item] of items.entries()) {
          outcomes.push(Promise.allSettled([batcher.call(item)]));
          for (let turn = plan[index]?.turns ?? 0; turn > 0; turn -= 1) await nextTurn();
        }
        const settled = (await Promise.all(outcomes)).flat();
        expect(settled.map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))).toEqual(
          items.map((item) => (item.includes('!') ? 'failed' : `${item} done`)),
        );
        for (const key of 'abcd') {
          const good = items.filter((item) => item.startsWith(key) && !item.includes('!'));
          expect(done.filter((item) => item.startsWith(key))).toEqual(good);
        }
      },
    ),
    { numRuns: 60 },
  );
});
