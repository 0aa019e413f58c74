import { describe, expect, it } from 'vitest';
import { mapAhead } from '../../../src/lib/async/map-ahead.ts';

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

const isTrue = () => true;

describe('a stream that is mapped ahead', () => {
  it('maps one item after the other, and takes the next one meanwhile, unless it may map two', async () => {
    const { source, seen } = numbers();
    const { map, finish, working } = desk();
    let areTwo = false;
    const results = mapAhead(source, map, () => areTwo);
    const first = results.next();
    await settled();
    expect([[...working.keys()], seen.taken]).toEqual([[1], 2]);
    finish(1);
    expect(await first).toEqual({ value: '1', done: false });
    await settled();
    // Nobody asked for more results.
    expect([working.size, seen.taken]).toEqual([0, 2]);
    areTwo = true;
    const second = results.next();
    await settled();
    expect([[...working.keys()], seen.taken]).toEqual([[2, 3], 4]);
    finish(2);
    expect(await second).toEqual({ value: '2', done: false });
    finish(3);
    await results.return();
    expect(seen.isClosed).toBe(true);
  });

  it('maps two items at once, in order, and takes the next one meanwhile', async () => {
    const { source, seen } = numbers();
    const { map, finish, working } = desk();
    const results = mapAhead(source, map, isTrue);
    const first = results.next();
    await settled();
    expect([[...working.keys()], seen.taken]).toEqual([[1, 2], 3]);
    finish(2);
    await settled();
    expect([[...working.keys()], seen.taken]).toEqual([[1], 3]);
    finish(1);
    expect(await first).toEqual({ value: '1', done: false });
    await settled();
    // Nobody asked for more results.
    expect([working.size, seen.taken]).toEqual([0, 3]);
    expect(await results.next()).toEqual({ value: '2', done: false });
    const third = results.next();
    await settled();
    expect([[...working.keys()], seen.taken]).toEqual([[3, 4], 5]);
    finish(3);
    finish(4);
    expect(await third).toEqual({ value: '3', done: false });
    await results.return();
    expect(seen.isClosed).toBe(true);
  });

  it('takes no further items while it maps two, also if it may map only one meanwhile', async () => {
    const { source, seen } = numbers();
    const { map, finish, working } = desk();
    let areTwo = true;
    const results = mapAhead(source, map, () => areTwo && working.size < 2);
    const first = results.next();
    await settled();
    expect([[...working.keys()], seen.taken]).toEqual([[1, 2], 3]);
    areTwo = false;
    for (let turn = 0; turn < 5; turn += 1) await settled();
    expect([[...working.keys()], seen.taken]).toEqual([[1, 2], 3]);
    finish(1);
    finish(2);
    expect([(await first).value, (await results.next()).value]).toEqual(['1', '2']);
    await results.return();
  });

  it('yields a result before there is a next item', async () => {
    const { map, finish } = desk();
    const { promise, resolve } = withResolvers<void>();
    async function* source() {
      yield 1;
      await promise;
      yield 2;
    }
    const results = mapAhead(source(), map, isTrue);
    const first = results.next();
    await settled();
    finish(1);
    expect(await first).toEqual({ value: '1', done: false });
    const second = results.next();
    resolve();
    await settled();
    finish(2);
    expect(await second).toEqual({ value: '2', done: false });
  });

  it('tells the work on an item how the work on the item before ends', async () => {
    const { map, finish, fail } = desk();
    const seen: string[] = [];
    const watched = (item: number, before: Promise<unknown>) => {
      before.then(
        (result) => seen.push(`${item} after ${result}`),
        (error: Error) => seen.push(`${item}: ${error.message}`),
      );
      return map(item);
    };
    const results = mapAhead(numbers(3).source, watched, isTrue);
    const first = results.next();
    await settled();
    finish(1);
    await first;
    const second = expect(results.next()).rejects.toThrow('2 failed');
    await settled();
    fail(2);
    finish(3);
    await second;
    expect(seen).toEqual(['1 after undefined', '2 after 1', '3: 2 failed']);
  });

  it('ends with the stream', async () => {
    const { map, finish } = desk();
    const results = mapAhead(numbers(3).source, map, isTrue);
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
    expect(await mapAhead(numbers(0).source, map, isTrue).next()).toEqual({ value: undefined, done: true });
  });

  it('ends with the first item that fails', async () => {
    const { source, seen } = numbers();
    const { map, finish, fail, working } = desk();
    const results = mapAhead(source, map, isTrue);
    const first = results.next();
    await settled();
    finish(1);
    expect((await first).value).toBe('1');
    const second = expect(results.next()).rejects.toThrow('2 failed');
    await settled();
    fail(2);
    // The work on the third item goes on, and nobody waits for it.
    await second;
    await settled();
    expect([[...working.keys()], seen.isClosed]).toEqual([[3], true]);
  });

  it('passes on a failure of the stream, after the result of work in progress', async () => {
    const { map, finish, working } = desk();
    async function* source() {
      yield 1;
      throw new Error('cut off');
    }
    const results = mapAhead(source(), map, isTrue);
    const first = results.next();
    await settled();
    expect([...working.keys()]).toEqual([1]);
    finish(1);
    expect(await first).toEqual({ value: '1', done: false });
    await expect(results.next()).rejects.toThrow('cut off');
    expect(working.size).toBe(0);
  });
});
