import { describe, expect, it } from 'vitest';
import { mapInOrder } from '../../../src/lib/async/map-in-order.ts';

/** Yields numbers from 1, and records what its consumer took. */
function numbers(end = 1000) {
  const seen = { taken: 0, isClosed: false };
  async function* source() {
    try {
      while (seen.taken < end) {
        seen.taken += 1;
        yield seen.taken;
      }
    } finally {
      seen.isClosed = true;
    }
  }
  return { source: source(), seen };
}

/** Work that finishes when the test says so. */
function desk() {
  const working = new Map<number, PromiseWithResolvers<string>>();
  return {
    working,
    map(item: number): Promise<string> {
      const job = withResolvers<string>();
      working.set(item, job);
      return job.promise.finally(() => working.delete(item));
    },
    finish: (item: number) => working.get(item)?.resolve(`${item}`),
    fail: (item: number) => working.get(item)?.reject(new Error(`${item} failed`)),
  };
}

interface PromiseWithResolvers<T> {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(error: Error): void;
}

function withResolvers<T>(): PromiseWithResolvers<T> {
  let [resolve, reject]: [(value: T) => void, (error: Error) => void] = [() => {}, () => {}];
  const promise = new Promise<T>((yes, no) => {
    [resolve, reject] = [yes, no];
  });
  return { promise, resolve, reject };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a stream that is mapped in order', () => {
  it('yields results in order, and takes no more items than may be in progress', async () => {
    const { source, seen } = numbers();
    const { map, finish, working } = desk();
    const results = mapInOrder(source, 2, map);
    const first = results.next();
    await settled();
    expect([...working.keys()]).toEqual([1, 2]);
    finish(2);
    await settled();
    expect([...working.keys()]).toEqual([1]);
    finish(1);
    expect(await first).toEqual({ value: '1', done: false });
    expect(await results.next()).toEqual({ value: '2', done: false });
    await settled();
    // Nobody asked for more results, so at most one more item is read ahead.
    expect(seen.taken).toBeLessThanOrEqual(4);
    void results.next();
    await settled();
    expect([...working.keys()]).toEqual([3, 4]);
    for (const item of [3, 4]) finish(item);
    await results.return();
    expect(seen.isClosed).toBe(true);
  });

  it('ends with the stream', async () => {
    const { map, finish } = desk();
    const results = mapInOrder(numbers(3).source, 2, map);
    const all: string[] = [];
    const done = (async () => {
      for await (const result of results) all.push(result);
    })();
    for (const item of [1, 2, 3]) {
      await settled();
      finish(item);
    }
    await done;
    expect(all).toEqual(['1', '2', '3']);
    expect(await mapInOrder(numbers(0).source, 2, map).next()).toEqual({ value: undefined, done: true });
  });

  it('yields the results before the item that fails, and waits for work in progress', async () => {
    const { source, seen } = numbers();
    const { map, finish, fail, working } = desk();
    const results = mapInOrder(source, 2, map);
    const first = results.next();
    await settled();
    fail(2);
    finish(1);
    expect((await first).value).toBe('1');
    const second = expect(results.next()).rejects.toThrow('2 failed');
    await settled();
    for (const item of working.keys()) finish(item);
    await second;
    expect([working.size, seen.isClosed]).toEqual([0, true]);
  });

  it('passes on a failure of the stream, after the results of work in progress', async () => {
    const { map, finish, working } = desk();
    async function* source() {
      yield 1;
      throw new Error('cut off');
    }
    const results = mapInOrder(source(), 2, map);
    const first = results.next();
    await settled();
    expect([...working.keys()]).toEqual([1]);
    finish(1);
    expect(await first).toEqual({ value: '1', done: false });
    await expect(results.next()).rejects.toThrow('cut off');
    expect(working.size).toBe(0);
  });
});
