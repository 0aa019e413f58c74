import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { EXPENSIVE_MS, expensivePlaces, type GateLimits, KdfGate } from '../../src/hashing/gate.ts';

/** A gate, and the computations it has let in: each ends when it is told to. */
function createGate(limits: Partial<GateLimits> = {}) {
  const gate = new KdfGate({ concurrency: 2, memoryBytes: 100, queueLimit: 10, ...limits });
  const running = new Map<string, { finish(): void; fail(error: Error): void }>();
  const run = (name: string, memoryBytes = 1, signal?: AbortSignal, ms = EXPENSIVE_MS) =>
    gate.run(
      { memoryBytes, ms },
      () =>
        new Promise<string>((resolve, reject) => {
          const end = () => running.delete(name);
          running.set(name, {
            finish: () => end() && resolve(`${name} done`),
            fail: (error) => end() && reject(error),
          });
        }),
      signal,
    );
  return {
    gate,
    run,
    runExpensive: (name: string, memoryBytes = 1, signal?: AbortSignal) =>
      run(name, memoryBytes, signal, EXPENSIVE_MS + 1),
    running: () => [...running.keys()],
    async finish(name: string) {
      running.get(name)?.finish();
      await nextTurn();
    },
    async fail(name: string, error: Error) {
      running.get(name)?.fail(error);
      await nextTurn();
    },
  };
}

it('refuses what needs more memory than there is, and takes nothing for it', async () => {
  const { run, running } = createGate({ memoryBytes: 100 });
  await expect(run('huge', 101)).rejects.toThrow('a hash needs 101 bytes, above the 100 for hashing');
  await expect(run('huge', 101)).rejects.not.toBeInstanceOf(AppError);
  void run('all of it', 100);
  expect(running()).toEqual(['all of it']);
});

it('refuses what comes when the queue is full, and takes more when it is not', async () => {
  const { run, running, finish } = createGate({ concurrency: 1, queueLimit: 1 });
  const [first, second] = [run('a'), run('b')];
  await expect(run('c')).rejects.toMatchObject({ code: 'OVERLOADED' });
  await finish('a');
  expect(await first).toBe('a done');
  const third = run('d');
  await expect(run('e')).rejects.toMatchObject({ code: 'OVERLOADED' });
  await finish('b');
  await finish('d');
  expect(await Promise.all([second, third])).toEqual(['b done', 'd done']);
  expect(running()).toEqual([]);
});

it('queues nothing when the queue is closed, but runs what fits', async () => {
  const { run, finish } = createGate({ concurrency: 1, queueLimit: 0 });
  const first = run('a');
  await expect(run('b')).rejects.toMatchObject({ code: 'OVERLOADED' });
  await finish('a');
  expect(await first).toBe('a done');
});

it('frees the place of a computation that throws, at once or later', async () => {
  const gate = new KdfGate({ concurrency: 1, memoryBytes: 10, queueLimit: 10 });
  const atOnce = () => {
    throw new TypeError('at once');
  };
  await expect(gate.run({ memoryBytes: 10, ms: 1 }, atOnce)).rejects.toThrow('at once');
  await expect(gate.run({ memoryBytes: 10, ms: 1 }, async () => atOnce())).rejects.toThrow('at once');

  const { run, running, fail } = createGate({ concurrency: 1 });
  const first = run('a', 100);
  const second = run('b', 100);
  const failed = expect(first).rejects.toThrow('library failure');
  await fail('a', new Error('library failure'));
  await failed;
  expect(running()).toEqual(['b']);
  const failedToo = expect(second).rejects.toThrow('again');
  await fail('b', new Error('again'));
  await failedToo;
});

it('runs as many at once as it may, in the order in which they came', async () => {
  const { run, running, finish } = createGate({ concurrency: 2 });
  for (const name of ['a', 'b', 'c', 'd']) void run(name);
  expect(running()).toEqual(['a', 'b']);
  await finish('b');
  expect(running()).toEqual(['a', 'c']);
  await finish('a');
  expect(running()).toEqual(['c', 'd']);
});

it('runs no more at once than there is memory for', async () => {
  const { run, running, finish } = createGate({ concurrency: 10, memoryBytes: 100 });
  void run('a', 60);
  void run('b', 40);
  void run('c', 1);
  expect(running()).toEqual(['a', 'b']);
  await finish('b');
  expect(running()).toEqual(['a', 'c']);
});

it('lets nobody overtake one that waits for much memory', async () => {
  const { run, running, finish } = createGate({ concurrency: 10, memoryBytes: 100 });
  void run('a', 50);
  void run('b', 50);
  void run('large', 100);
  void run('small', 1);
  await finish('a');
  expect(running()).toEqual(['b']);
  void run('late', 1);
  expect(running()).toEqual(['b']);
  await finish('b');
  expect(running()).toEqual(['large']);
  await finish('large');
  expect(running()).toEqual(['small', 'late']);
});

it('does not begin for a caller that has gone before', async () => {
  const { run, running } = createGate();
  const reason = new Error('gone');
  await expect(run('a', 1, AbortSignal.abort(reason))).rejects.toBe(reason);
  expect(running()).toEqual([]);
});

it('lets a caller leave the queue, and the next one in', async () => {
  const { run, running, finish } = createGate({ concurrency: 10, memoryBytes: 100, queueLimit: 2 });
  const controller = new AbortController();
  const reason = new Error('gone');
  void run('a', 50);
  const left = run('large', 100, controller.signal);
  void run('b', 50);
  expect(running()).toEqual(['a']);
  controller.abort(reason);
  await expect(left).rejects.toBe(reason);
  expect(running()).toEqual(['a', 'b']);
  await finish('a');
  await finish('b');
  expect(running()).toEqual([]);
});

it('finishes what has begun, whoever has gone', async () => {
  const { run, running, finish } = createGate({ concurrency: 1 });
  const controller = new AbortController();
  const begun = run('a', 1, controller.signal);
  const queued = run('b', 1, controller.signal);
  const gone = expect(queued).rejects.toBeDefined();
  controller.abort();
  await gone;
  expect(running()).toEqual(['a']);
  await finish('a');
  expect(await begun).toBe('a done');
  expect(running()).toEqual([]);
});

it('gives expensive ones half of the places, and lets others pass those that wait for it', async () => {
  const { run, runExpensive, running, finish } = createGate({ concurrency: 4 });
  for (const name of ['E1', 'E2', 'E3', 'E4']) void runExpensive(name);
  expect(running()).toEqual(['E1', 'E2']);
  for (const name of ['a', 'b', 'c']) void run(name);
  expect(running()).toEqual(['E1', 'E2', 'a', 'b']);
  await finish('a');
  expect(running()).toEqual(['E1', 'E2', 'b', 'c']);
  void run('d');
  await finish('E2');
  expect(running()).toEqual(['E1', 'b', 'c', 'E3']);
  await finish('b');
  expect(running()).toEqual(['E1', 'c', 'E3', 'd']);
});

it.each([
  [1, 1],
  [2, 1],
  [3, 1],
  [4, 2],
  [9, 4],
])('of %d places expensive ones may take %d', (concurrency, expected) => {
  const { runExpensive, running } = createGate({ concurrency, queueLimit: 100 });
  for (let n = 0; n < 10; n += 1) void runExpensive(`E${n}`);
  expect(running()).toHaveLength(expected);
});

it('lets nobody overtake an expensive one that waits for much memory', async () => {
  const { run, runExpensive, running, finish } = createGate({ concurrency: 4, memoryBytes: 100 });
  void runExpensive('E1', 50);
  void runExpensive('E2', 40);
  void runExpensive('E3', 60);
  void run('a', 5);
  expect(running()).toEqual(['E1', 'E2', 'a']);
  await finish('E2');
  // E3 waits for memory now, no longer for its half.
  void run('b', 1);
  expect(running()).toEqual(['E1', 'a']);
  await finish('E1');
  expect(running()).toEqual(['a', 'E3', 'b']);
});

it('gives expensive ones half of the queue', async () => {
  const { run, runExpensive } = createGate({ concurrency: 2, queueLimit: 3 });
  const overloaded = { code: 'OVERLOADED' };
  for (const name of ['E1', 'E2', 'E3']) void runExpensive(name);
  await expect(runExpensive('E4')).rejects.toMatchObject(overloaded);
  for (const name of ['a', 'b']) void run(name);
  await expect(run('c')).rejects.toMatchObject(overloaded);
});

it('refuses those that wait, and all that come, once it is stopped', async () => {
  const { gate, run, runExpensive, running, finish } = createGate({ concurrency: 2, memoryBytes: 100 });
  const stopping = { code: 'SHUTTING_DOWN', status: 503 };
  const begun = run('a', 60);
  const waiting = [run('large', 100), run('b'), runExpensive('E')];
  const refused = Promise.all(waiting.map((one) => expect(one).rejects.toMatchObject(stopping)));
  gate.stop();
  await refused;
  await expect(run('late')).rejects.toMatchObject(stopping);
  expect(running()).toEqual(['a']);
  await finish('a');
  expect(await begun).toBe('a done');
  expect(running()).toEqual([]);
});

it('holds its bounds, and serves everybody, under any schedule', async () => {
  const job = fc.record({
    memoryBytes: fc.integer({ min: 1, max: 50 }),
    ms: fc.constantFrom(1, EXPENSIVE_MS + 1),
    before: fc.nat(3),
    turns: fc.nat(4),
    end: fc.constantFrom('done', 'fails', 'leaves'),
  });
  const limits = fc.record({
    concurrency: fc.integer({ min: 1, max: 4 }),
    memoryBytes: fc.integer({ min: 50, max: 120 }),
    queueLimit: fc.nat(20),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(job, { maxLength: 40 }), limits, async (jobs, bounds) => {
      const gate = new KdfGate(bounds);
      const begun: number[] = [];
      let [running, expensive, memory] = [0, 0, 0];
      const outcomes: Promise<string>[] = [];
      for (const [index, { memoryBytes, ms, before, turns, end }] of jobs.entries()) {
        const weight = ms > EXPENSIVE_MS ? 1 : 0;
        for (let turn = 0; turn < before; turn += 1) await nextTurn();
        const controller = new AbortController();
        const outcome = gate.run(
          { memoryBytes, ms },
          async () => {
            begun.push(index);
            running += 1;
            expensive += weight;
            memory += memoryBytes;
            expect(running).toBeLessThanOrEqual(bounds.concurrency);
            expect(expensive).toBeLessThanOrEqual(expensivePlaces(bounds.concurrency));
            expect(memory).toBeLessThanOrEqual(bounds.memoryBytes);
            for (let turn = 0; turn < turns; turn += 1) await nextTurn();
            running -= 1;
            expensive -= weight;
            memory -= memoryBytes;
            if (end === 'fails') throw new Error('failed');
            return 'done';
          },
          controller.signal,
        );
        outcomes.push(outcome.catch((error) => error.code ?? error.message));
        if (end === 'leaves') controller.abort(new Error('left'));
      }
      const settled = await Promise.all(outcomes);
      for (const [index, outcome] of settled.entries()) {
        const possible = { done: ['done'], fails: ['failed'], leaves: ['done', 'left'] }[
          jobs[index]?.end ?? 'done'
        ];
        expect([...possible, 'OVERLOADED']).toContain(outcome);
        expect(begun.includes(index)).toBe(outcome === 'done' || outcome === 'failed');
      }
      // First come, first served, of the ordinary and of the expensive ones.
      for (const isExpensive of [false, true]) {
        const served = begun.filter((index) => (jobs[index]?.ms ?? 0) > EXPENSIVE_MS === isExpensive);
        expect(served).toEqual(served.toSorted((a, b) => a - b));
      }
      // All of the room is free again.
      expect(await gate.run({ memoryBytes: bounds.memoryBytes, ms: 1 }, async () => 'free')).toBe('free');
      expect(running).toBe(0);
    }),
    { numRuns: 100 },
  );
});

/** The rule said once more, with one list: who may begin, of those that are there, in the order in which they came. */
class ModelGate {
  readonly #limits: GateLimits;
  readonly waiting: { name: number; memoryBytes: number; isExpensive: boolean }[] = [];
  readonly running: { name: number; memoryBytes: number; isExpensive: boolean }[] = [];

  constructor(limits: GateLimits) {
    this.#limits = limits;
  }

  settle(): void {
    for (const one of [...this.waiting]) {
      const expensive = this.running.filter(({ isExpensive }) => isExpensive).length;
      if (one.isExpensive && expensive >= expensivePlaces(this.#limits.concurrency)) continue;
      const memory = this.running.reduce((sum, { memoryBytes }) => sum + memoryBytes, one.memoryBytes);
      if (this.running.length >= this.#limits.concurrency || memory > this.#limits.memoryBytes) return;
      this.waiting.splice(this.waiting.indexOf(one), 1);
      this.running.push(one);
    }
  }
}

it('runs what its model runs, after every arrival, end and departure', async () => {
  const step = fc.record({
    kind: fc.constantFrom('come', 'come', 'finish', 'leave'),
    which: fc.nat(20),
    memoryBytes: fc.integer({ min: 1, max: 60 }),
    isExpensive: fc.boolean(),
  });
  const limits = fc.record({
    concurrency: fc.integer({ min: 1, max: 5 }),
    memoryBytes: fc.integer({ min: 60, max: 150 }),
    queueLimit: fc.constant(1000),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), limits, async (steps, bounds) => {
      const { run, runExpensive, running, finish } = createGate(bounds);
      const model = new ModelGate(bounds);
      const callers = new Map<number, AbortController>();
      const end = async () => {
        const [first] = model.running.splice(0, 1);
        model.settle();
        if (first !== undefined) await finish(String(first.name));
      };
      for (const [name, { kind, which, memoryBytes, isExpensive }] of steps.entries()) {
        if (kind === 'come') {
          const caller = new AbortController();
          callers.set(name, caller);
          const enter = isExpensive ? runExpensive : run;
          enter(String(name), memoryBytes, caller.signal).catch(() => {});
          model.waiting.push({ name, memoryBytes, isExpensive });
          model.settle();
        } else if (kind === 'finish') {
          await end();
        } else if (model.waiting.length > 0) {
          const [left] = model.waiting.splice(which % model.waiting.length, 1);
          callers.get(left?.name ?? -1)?.abort();
          model.settle();
        }
        await nextTurn();
        expect(running().toSorted()).toEqual(model.running.map((one) => String(one.name)).toSorted());
      }
      // Nobody waits for ever.
      while (model.running.length > 0) await end();
      expect(running()).toEqual([]);
      expect(model.waiting).toEqual([]);
    }),
    { numRuns: 200 },
  );
});
