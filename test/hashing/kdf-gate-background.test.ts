import { describe, expect, it } from 'vitest';
import { EXPENSIVE_MS } from '../../src/hashing/kdf-gate.ts';
import { createGate } from './gate-under-test.ts';

describe('work in the background', () => {
  it('begins at once while more than half of the places are free, and occupies none of them', async () => {
    const { run, runInBackground, running } = createGate({ concurrency: 4 });
    for (const name of ['a', 'b', 'c']) void runInBackground(name);
    expect(running()).toEqual(['a', 'b']);
    for (const name of ['d', 'e', 'f', 'g', 'h']) void run(name);
    expect(running()).toEqual(['a', 'b', 'd', 'e', 'f', 'g']);
  });

  it('runs one at a time on two places, and begins while both are free', async () => {
    const { run, runInBackground, running, finish } = createGate({ concurrency: 2 });
    void run('a');
    for (const name of ['b', 'c']) void runInBackground(name);
    expect(running()).toEqual(['a']);
    await finish('a');
    expect(running()).toEqual(['b']);
    for (const name of ['d', 'e']) void run(name);
    expect(running()).toEqual(['b', 'd', 'e']);
    await finish('b');
    await finish('d');
    expect(running()).toEqual(['e']);
    await finish('e');
    expect(running()).toEqual(['c']);
  });

  it('begins when nobody else waits, in the order of arrival', async () => {
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

  it('takes no place in the queue, and is never refused for a full queue', async () => {
    const { run, runInBackground, running, finish } = createGate({ concurrency: 1, queueLimit: 1 });
    void run('a');
    for (const name of ['b', 'c', 'd']) void runInBackground(name);
    void run('e');
    await finish('a');
    expect(running()).toEqual(['e']);
  });

  it('waits until half of the memory is free, and reserves what it needs', async () => {
    const { run, runInBackground, running, finish } = createGate({ concurrency: 8 });
    void run('a', 51);
    void runInBackground('b', 60);
    expect(running()).toEqual(['a']);
    await finish('a');
    expect(running()).toEqual(['b']);
    void run('c', 50);
    expect(running()).toEqual(['b']);
    await finish('b');
    expect(running()).toEqual(['c']);
  });

  it('does not count towards the share of expensive hashes', async () => {
    const { runExpensive, runInBackground, running } = createGate({ concurrency: 4 });
    void runInBackground('a', 1, undefined, EXPENSIVE_MS + 1);
    for (const name of ['b', 'c', 'd']) void runExpensive(name);
    expect(running()).toEqual(['a', 'b', 'c']);
  });

  it('begins beside the last trial that waited, if there is room for both', async () => {
    const { run, runTrial, runInBackground, running, finish } = createGate({ concurrency: 4 });
    void run('a', 100);
    void runTrial('b');
    void runInBackground('c');
    await finish('a');
    expect(running()).toEqual(['b', 'c']);
  });

  it('is cancelled by its signal, and by a stop', async () => {
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
