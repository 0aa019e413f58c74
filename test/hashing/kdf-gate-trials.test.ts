import { expect, it } from 'vitest';
import { EXPENSIVE_MS } from '../../src/hashing/kdf-gate.ts';
import { createGate } from './gate-under-test.ts';

const handled = (job: Promise<unknown>) => void job.catch(() => {});

it('trials use at most half of the places, whoever sends them', async () => {
  const { run, runTrial, running } = createGate({ concurrency: 4, queueLimit: 80 });
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2']) void runTrial(name);
  expect(running()).toEqual(['a1', 'a2']);
  for (const name of ['s1', 's2']) void run(name);
  expect(running()).toEqual(['a1', 'a2', 's1', 's2']);
});

it('no trial begins while a sign-in waits, however long the trial has waited', async () => {
  const { run, runExpensive, runTrial, running, finish } = createGate({ concurrency: 1, queueLimit: 80 });
  void runTrial('a1');
  void runTrial('a2');
  void run('s1');
  void runExpensive('s2');
  await finish('a1');
  expect(running()).toEqual(['s1']);
  void run('s3');
  await finish('s1');
  expect(running()).toEqual(['s2']);
  await finish('s2');
  expect(running()).toEqual(['s3']);
  await finish('s3');
  expect(running()).toEqual(['a2']);
});

it('callers take turns', async () => {
  const { runTrial, running, finish } = createGate({ concurrency: 1, queueLimit: 80 });
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) void runTrial(name);
  const order: string[] = [];
  for (let [name] = running(); name !== undefined; [name] = running()) {
    order.push(name);
    await finish(name);
  }
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
});

it('a caller with cheap trials waits for one expensive trial of another caller, not for one each time', async () => {
  const { runTrial, running, finish } = createGate({ concurrency: 1, queueLimit: 80 });
  for (const name of ['a1', 'a2', 'a3', 'a4']) void runTrial(name, 1, undefined, 1600);
  const sent = Array.from({ length: 15 }, (_, index) => `b${index}`);
  // A verify call behaves like this: it sends each trial after the answer to the one before.
  const answered = (async () => {
    for (const name of sent) await runTrial(name, 1, undefined, 1);
  })();
  const order: string[] = [];
  for (let [name] = running(); name !== undefined; [name] = running()) {
    order.push(name);
    await finish(name);
  }
  await answered;
  expect(order).toEqual(['a1', ...sent, 'a2', 'a3', 'a4']);
});

it('a caller may use an eighth of the queue, and none of the queue of sign-ins', async () => {
  const { run, runTrial, running } = createGate({ concurrency: 1, queueLimit: 16 });
  void run('s0');
  for (const name of ['a1', 'a2', 'b1', 'b2']) handled(runTrial(name));
  await expect(runTrial('a3')).rejects.toMatchObject({ code: 'OVERLOADED' });
  await expect(runTrial('b3')).rejects.toMatchObject({ code: 'OVERLOADED' });
  handled(runTrial('c1'));
  for (let n = 1; n <= 16; n += 1) handled(run(`s${n}`));
  await expect(run('s17')).rejects.toMatchObject({ code: 'OVERLOADED' });
  expect(running()).toEqual(['s0']);
});

it('trials use at most half of the memory, and one that needs more runs alone', async () => {
  const { run, runTrial, running, finish } = createGate({ concurrency: 4, memoryBytes: 100, queueLimit: 80 });
  void runTrial('a1', 40);
  void runTrial('a2', 40);
  expect(running()).toEqual(['a1']);
  void run('s1', 60);
  expect(running()).toEqual(['a1', 's1']);
  await finish('a1');
  expect(running()).toEqual(['s1', 'a2']);
  void runTrial('b1', 90);
  await finish('a2');
  expect(running()).toEqual(['s1']);
  await finish('s1');
  expect(running()).toEqual(['b1']);
});

it('an expensive trial counts as an expensive hash', async () => {
  const { runExpensive, runTrial, running, finish } = createGate({ concurrency: 2, queueLimit: 80 });
  void runExpensive('s1');
  void runTrial('a1', 1, undefined, EXPENSIVE_MS + 1);
  expect(running()).toEqual(['s1']);
  await finish('s1');
  expect(running()).toEqual(['a1']);
});

it('work in the background waits for trials', async () => {
  const { runTrial, runInBackground, running, finish } = createGate({ concurrency: 2, queueLimit: 80 });
  void runTrial('a1');
  void runTrial('a2');
  void runInBackground('w1');
  await finish('a1');
  expect(running()).toEqual(['a2']);
  await finish('a2');
  expect(running()).toEqual(['w1']);
});

it('a caller that has gone, or a stop, leaves nothing behind', async () => {
  const { gate, runTrial, running, finish } = createGate({ concurrency: 1, queueLimit: 80 });
  const gone = new AbortController();
  void runTrial('a1');
  const left = expect(runTrial('a2', 1, gone.signal)).rejects.toThrow('gone');
  void runTrial('b1');
  gone.abort(new Error('gone'));
  await left;
  await expect(runTrial('a3', 1, gone.signal)).rejects.toThrow('gone');
  await finish('a1');
  expect(running()).toEqual(['b1']);
  const stopped = expect(runTrial('c1')).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  gate.stop();
  await stopped;
});
