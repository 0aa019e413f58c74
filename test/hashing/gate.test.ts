import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { type GateLimits, KdfGate } from '../../src/hashing/gate.ts';

/** A gate, and the computations it has let in: each ends when it is told to. */
function createGate(limits: Partial<GateLimits> = {}) {
  const gate = new KdfGate({ concurrency: 2, memoryBytes: 100, queueLimit: 10, ...limits });
  const running = new Map<string, { finish(): void; fail(error: Error): void }>();
  const run = (name: string, memoryBytes = 1, signal?: AbortSignal) =>
    gate.run(
      memoryBytes,
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
    run,
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
  await expect(gate.run(10, atOnce)).rejects.toThrow('at once');
  await expect(gate.run(10, async () => atOnce())).rejects.toThrow('at once');

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

it('holds its bounds, and serves everybody, under any schedule', async () => {
  const job = fc.record({
    memoryBytes: fc.integer({ min: 1, max: 50 }),
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
      let [running, memory] = [0, 0];
      const outcomes: Promise<string>[] = [];
      for (const [index, { memoryBytes, before, turns, end }] of jobs.entries()) {
        for (let turn = 0; turn < before; turn += 1) await nextTurn();
        const controller = new AbortController();
        const outcome = gate.run(
          memoryBytes,
          async () => {
            begun.push(index);
            running += 1;
            memory += memoryBytes;
            expect(running).toBeLessThanOrEqual(bounds.concurrency);
            expect(memory).toBeLessThanOrEqual(bounds.memoryBytes);
            for (let turn = 0; turn < turns; turn += 1) await nextTurn();
            running -= 1;
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
      // First come, first served.
      expect(begun).toEqual(begun.toSorted((a, b) => a - b));
      // All of the room is free again.
      expect(await gate.run(bounds.memoryBytes, async () => 'free')).toBe('free');
      expect(running).toBe(0);
    }),
    { numRuns: 100 },
  );
});
