import { describe, expect, it } from 'vitest';
import { EXPENSIVE_MS, KdfGate } from '../../src/hashing/kdf-gate.ts';
import { AppError } from '../../src/lib/errors.ts';
import { createGate } from './gate-under-test.ts';

it('refuses a task that needs more memory than there is, and reserves nothing for it', async () => {
  const { run, running } = createGate({ memoryBytes: 100 });
  await expect(run('huge', 101)).rejects.toThrow('a hash needs 101 bytes, above the 100 for hashing');
  await expect(run('huge', 101)).rejects.not.toBeInstanceOf(AppError);
  void run('all of it', 100);
  expect(running()).toEqual(['all of it']);
});

it('refuses tasks while the queue is full, and accepts them again afterwards', async () => {
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

it('queues nothing if the queue is closed, but runs what fits', async () => {
  const { run, finish } = createGate({ concurrency: 1, queueLimit: 0 });
  const first = run('a');
  await expect(run('b')).rejects.toMatchObject({ code: 'OVERLOADED' });
  await finish('a');
  expect(await first).toBe('a done');
});

it('frees the place of a task that throws, at once or later', async () => {
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

it('does not begin a task whose caller has gone', async () => {
  const { run, running } = createGate();
  const reason = new Error('gone');
  await expect(run('a', 1, AbortSignal.abort(reason))).rejects.toBe(reason);
  expect(running()).toEqual([]);
});

it('finishes a running task although its caller has gone', async () => {
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

it.each([
  [1, 1],
  [2, 1],
  [3, 1],
  [4, 2],
  [9, 4],
])('with %d places, expensive tasks may use %d', (concurrency, expected) => {
  const { runExpensive, running } = createGate({ concurrency, queueLimit: 100 });
  for (let n = 0; n < 10; n += 1) void runExpensive(`E${n}`);
  expect(running()).toHaveLength(expected);
});

it('gives expensive tasks half of the queue', async () => {
  const { run, runExpensive } = createGate({ concurrency: 2, queueLimit: 3 });
  const overloaded = { code: 'OVERLOADED' };
  for (const name of ['E1', 'E2', 'E3']) void runExpensive(name);
  await expect(runExpensive('E4')).rejects.toMatchObject(overloaded);
  for (const name of ['a', 'b']) void run(name);
  await expect(run('c')).rejects.toMatchObject(overloaded);
});

it('refuses waiting and new tasks once it is stopped', async () => {
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

describe('many computations for one account', () => {
  it('use all places while nobody else waits', async () => {
    const { runForAccount, running, finish } = createGate({ concurrency: 2 });
    for (const name of ['a1', 'a2', 'a3', 'a4']) void runForAccount(name);
    expect(running()).toEqual(['a1', 'a2']);
    await finish('a1');
    await finish('a2');
    expect(running()).toEqual(['a3', 'a4']);
  });

  it.each([
    ['ordinary', EXPENSIVE_MS],
    ['expensive', EXPENSIVE_MS + 1],
  ])('delay one for another account by one at most: %s', async (_lane, ms) => {
    const { runForAccount, running, finish } = createGate({ concurrency: 1, queueLimit: 20 });
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) void runForAccount(name, 1, undefined, ms);
    const order: string[] = [];
    for (let [name] = running(); name !== undefined; [name] = running()) {
      order.push(name);
      await finish(name);
    }
    expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  it('give their place to the next of the account when one leaves', async () => {
    const { gate, runForAccount, running, finish } = createGate({ concurrency: 1 });
    const gone = new AbortController();
    void runForAccount('a1');
    const left = runForAccount('a2', 1, gone.signal).catch((error: Error) => error.message);
    const behind = runForAccount('a4', 1, gone.signal).catch((error: Error) => error.message);
    for (const name of ['a3', 'b1']) void runForAccount(name);
    gone.abort(new Error('gone'));
    expect([await left, await behind]).toEqual(['gone', 'gone']);
    expect(gate.counts().ordinary.waiting).toBe(2);
    for (const name of ['a1', 'b1']) await finish(name);
    expect(running()).toEqual(['a3']);
    expect(gate.counts().ordinary.waiting).toBe(0);
  });

  it('fill at most half of the queue', async () => {
    const { runForAccount } = createGate({ concurrency: 1, queueLimit: 4 });
    for (const name of ['a1', 'a2', 'a3']) void runForAccount(name);
    await expect(runForAccount('a4')).rejects.toMatchObject({ code: 'OVERLOADED' });
    void runForAccount('b1');
    void runForAccount('c1');
    await expect(runForAccount('d1')).rejects.toMatchObject({ code: 'OVERLOADED' });
  });
});
