import { describe, expect, it } from 'vitest';
import { EXPENSIVE_MS } from '../../src/hashing/kdf-gate.ts';
import { createGate } from './gate-under-test.ts';

describe('in the background', () => {
  it('begins at once while more than half of the places are free', async () => {
    const { run, runInBackground, running } = createGate({ concurrency: 4 });
    void runInBackground('a');
    void runInBackground('b');
    void runInBackground('c');
    expect(running()).toEqual(['a', 'b']);
    void run('d');
    void run('e');
    expect(running()).toEqual(['a', 'b', 'd', 'e']);
  });

  it('leaves one of two places to others', async () => {
    const { run, runInBackground, running, finish } = createGate({ concurrency: 2 });
    void run('a');
    void runInBackground('b');
    expect(running()).toEqual(['a']);
    await finish('a');
    expect(running()).toEqual(['b']);
    void runInBackground('c');
    void run('d');
    expect(running()).toEqual(['b', 'd']);
  });

  it('begins when nobody else waits, in the order in which it came', async () => {
    const { run, runInBackground, running, finish } = createGate({ concurrency: 1 });
    void run('a');
    for (const name of ['b', 'c']) void runInBackground(name);
    for (const name of ['d', 'e']) void run(name);
    const order: string[][] = [];
    for (const name of ['a', 'd', 'e', 'b', 'c']) {
      order.push(running());
      await finish(name);
    }
    expect(order).toEqual([['a'], ['d'], ['e'], ['b'], ['c']]);
    expect(running()).toEqual([]);
  });

  it('takes none of the queue, and is refused by none', async () => {
    const { run, runInBackground, running, finish } = createGate({ concurrency: 1, queueLimit: 1 });
    void run('a');
    for (const name of ['b', 'c', 'd']) void runInBackground(name);
    void run('e');
    await finish('a');
    expect(running()).toEqual(['e']);
  });

  it('waits for half of the memory, and for the share of expensive ones', async () => {
    const { run, runExpensive, runInBackground, running, finish } = createGate({ concurrency: 8 });
    void run('a', 51);
    void runInBackground('b');
    expect(running()).toEqual(['a']);
    await finish('a');
    expect(running()).toEqual(['b']);
    await finish('b');
    void runExpensive('c', 40);
    void runInBackground('d', 20, undefined, EXPENSIVE_MS + 1);
    expect(running()).toEqual(['c']);
    await finish('c');
    expect(running()).toEqual(['d']);
  });

  it('is dropped by its signal, and by a stop', async () => {
    const { gate, run, runInBackground, finish } = createGate({ concurrency: 1 });
    void run('a');
    const controller = new AbortController();
    const left = expect(runInBackground('b', 1, controller.signal)).rejects.toThrow('left');
    const stopped = expect(runInBackground('c')).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    controller.abort(new Error('left'));
    await left;
    gate.stop();
    await stopped;
    await expect(runInBackground('d')).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    await finish('a');
  });
});
