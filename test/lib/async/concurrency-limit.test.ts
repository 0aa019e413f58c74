import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ConcurrencyLimit } from '../../../src/lib/async/map-ahead.ts';

/** Work that ends when the test says so, with what has begun and not ended. */
function createWork() {
  const running = new Map<string, { resolve(name: string): void; reject(error: Error): void }>();
  return {
    running: () => [...running.keys()],
    begin: (name: string) => () =>
      new Promise<string>((resolve, reject) => running.set(name, { resolve, reject })),
    async end(name: string, error?: Error) {
      const one = running.get(name);
      running.delete(name);
      if (error === undefined) one?.resolve(name);
      else one?.reject(error);
      await nextTurn();
    },
  };
}

it('runs a limited number of tasks at once, in the order of arrival, whether they fail or not', async () => {
  const limit = new ConcurrencyLimit(2);
  const { running, begin, end } = createWork();
  const results = ['a', 'b', 'c', 'd', 'e'].map((name) => limit.run(begin(name)));
  const settled = Promise.allSettled(results);
  expect(running()).toEqual(['a', 'b']);
  await end('b');
  expect(running()).toEqual(['a', 'c']);
  await end('a', new Error('failed'));
  expect(running()).toEqual(['c', 'd']);
  for (const name of ['c', 'd', 'e']) await end(name);
  expect((await settled).map(({ status }) => status)).toEqual([
    'rejected',
    ...['b', 'c', 'd', 'e'].map(() => 'fulfilled'),
  ]);
  const [later, last] = [limit.run(begin('later')), limit.run(begin('last'))];
  void limit.run(begin('too many'));
  expect(running()).toEqual(['later', 'last']);
  await end('later');
  expect(await later).toBe('later');
  expect(running()).toEqual(['last', 'too many']);
  await end('last');
  expect(await last).toBe('last');
});
