import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EXPENSIVE_MS, expensivePlaces, type GateLimits, KdfGate } from '../../src/hashing/kdf-gate.ts';
import { createGate } from './gate-under-test.ts';

it('stays within its bounds and runs every task, under any schedule', async () => {
  const job = fc.record({
    memoryBytes: fc.integer({ min: 1, max: 50 }),
    ms: fc.constantFrom(...SPANS_MS),
    account: fc.constantFrom(undefined, 'a', 'b'),
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
      for (const [index, { memoryBytes, ms, account, before, turns, end }] of jobs.entries()) {
        const weight = isExpensive({ ms }) ? 1 : 0;
        for (let turn = 0; turn < before; turn += 1) await nextTurn();
        const controller = new AbortController();
        const outcome = gate.run(
          { memoryBytes, ms },
          async () => {
            begun.push(index);
            running += 1;
            expensive += weight;
            memory += memoryBytes;
            expect(running).toBeLessThanOrEqual((ms === QUICK_MS ? 2 : 1) * bounds.concurrency);
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
          account,
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
      // For each account, each lane is first come, first served: ordinary and expensive.
      const laneOf = (index: number) => (jobs[index]?.ms ?? 0) > EXPENSIVE_MS;
      for (const lane of [false, true]) {
        for (const account of [undefined, 'a', 'b']) {
          const served = begun.filter((index) => laneOf(index) === lane && jobs[index]?.account === account);
          expect(served).toEqual(served.toSorted((a, b) => a - b));
        }
      }
      // All capacity is free again.
      expect(await gate.run({ memoryBytes: bounds.memoryBytes, ms: 1 }, async () => 'free')).toBe('free');
      expect(running).toBe(0);
    }),
    { numRuns: 100 },
  );
});

interface Job {
  name: number;
  memoryBytes: number;
  ms: number;
  /** Position in the queue. */
  turn?: number;
}

const QUICK_MS = 1;
const SPANS_MS = [QUICK_MS, EXPENSIVE_MS, EXPENSIVE_MS + 1];
const isExpensive = ({ ms }: Pick<Job, 'ms'>) => ms > EXPENSIVE_MS;
const memoryOf = (jobs: readonly Job[]) => jobs.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);

/** The rule of the gate, written with plain lists: which of the waiting tasks may begin. */
class ModelGate {
  readonly #limits: GateLimits;
  readonly waiting: Job[] = [];
  readonly running: Job[] = [];
  #turns = 0;

  constructor(limits: GateLimits) {
    this.#limits = limits;
  }

  come(job: Job): void {
    this.waiting.push(job);
    this.settle();
  }

  settle(): void {
    const { concurrency, memoryBytes } = this.#limits;
    for (;;) {
      const expensive = this.running.filter(isExpensive);
      const head = this.waiting.find(isExpensive);
      const hasShare = (job: Job) =>
        expensive.length === 0 ||
        (expensive.length < expensivePlaces(concurrency) && memoryOf([...expensive, job]) <= memoryBytes / 2);
      const inLine = this.waiting.filter((job) => !isExpensive(job) || (job === head && hasShare(job)));
      for (const job of inLine) job.turn ??= this.#turns++;
      const [next] = inLine.toSorted((a, b) => (a.turn ?? 0) - (b.turn ?? 0));
      if (next === undefined) return;
      const areQuick = [next, ...this.running].every(({ ms }) => ms === QUICK_MS);
      const atMost = areQuick ? 2 * concurrency : concurrency;
      if (this.running.length >= atMost || memoryOf([...this.running, next]) > memoryBytes) return;
      this.waiting.splice(this.waiting.indexOf(next), 1);
      this.running.push(next);
    }
  }
}

it('behaves as its model after every arrival, end and departure', async () => {
  const step = fc.record({
    kind: fc.constantFrom('come', 'come', 'finish', 'leave'),
    which: fc.nat(20),
    memoryBytes: fc.integer({ min: 1, max: 60 }),
    ms: fc.constantFrom(...SPANS_MS),
  });
  const limits = fc.record({
    concurrency: fc.integer({ min: 1, max: 5 }),
    memoryBytes: fc.integer({ min: 60, max: 150 }),
    queueLimit: fc.constant(1000),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), limits, async (steps, bounds) => {
      const { run, running, finish } = createGate(bounds);
      const model = new ModelGate(bounds);
      const callers = new Map<number, AbortController>();
      const end = async () => {
        const [first] = model.running.splice(0, 1);
        model.settle();
        if (first !== undefined) await finish(String(first.name));
      };
      for (const [name, { kind, which, memoryBytes, ms }] of steps.entries()) {
        if (kind === 'come') {
          const caller = new AbortController();
          callers.set(name, caller);
          run(String(name), memoryBytes, caller.signal, ms).catch(() => {});
          model.come({ name, memoryBytes, ms });
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
      // Every waiting task runs eventually.
      while (model.running.length > 0) await end();
      expect(running()).toEqual([]);
      expect(model.waiting).toEqual([]);
    }),
    { numRuns: 200 },
  );
});
