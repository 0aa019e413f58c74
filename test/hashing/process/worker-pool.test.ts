import { Worker } from 'node:worker_threads';
import { afterEach, expect, it } from 'vitest';
import type { WorkerRequest } from '../../../src/hashing/process/hashing-work.ts';
import { startWorker } from '../../../src/hashing/process/source-entry.ts';
import { WorkerPool } from '../../../src/hashing/process/worker-pool.ts';
import type { StoredHash } from '../../../src/hashing/verifier.ts';
import { until } from '../../../src/lib/async/until.ts';
import { passwordOf, vector } from '../../support/vectors.ts';
import { SETUP } from '../expensive.ts';

const SAMPLE = vector('phpass', 'phpass-pl-phpass-09');
const HASH = { algorithm: 'phpass', encoded: SAMPLE.hash as StoredHash };
const LONG_MS = 10_000;

let threads: Worker[] = [];
afterEach(async () => {
  await Promise.all(threads.map((thread) => thread.terminate()));
  threads = [];
});

function watched(start: () => Worker) {
  return () => {
    const thread = start();
    threads.push(thread);
    return thread;
  };
}

const realPool = (size: number) =>
  new WorkerPool(
    SETUP,
    size,
    watched(() => startWorker('hashing-worker', SETUP)),
  );

/** A thread that does what the password says, and answers with its number of calls. */
const OBEDIENT = `
const { parentPort } = require('node:worker_threads');
let count = 0;
parentPort.on('message', ({ password }) => {
  count += 1;
  const answer = () => parentPort.postMessage({ verified: { matches: true, ms: count } });
  const orders = {
    exit: () => process.exit(0),
    throw: () => { throw new RangeError('all of the hash'); },
    answerAndThrow: () => { answer(); throw new Error('late'); },
    refuse: () => parentPort.postMessage({ error: 'the hash can no longer be verified' }),
    hang: () => {},
    answer,
  };
  orders[Buffer.from(password).toString()]();
});`;
const obedientPool = (size: number) =>
  new WorkerPool(
    SETUP,
    size,
    watched(() => new Worker(OBEDIENT, { eval: true })),
  );
const order = (text: string): WorkerRequest => ({ hash: HASH, password: Buffer.from(text) });
const lost = 'a thread of the hashing process is lost';

it('starts a thread for each task, up to its size, and keeps the threads', async () => {
  const pool = realPool(2);
  expect(threads).toHaveLength(0);
  const ask = (password: Uint8Array) => pool.verify({ hash: HASH, password });
  expect(await ask(passwordOf(SAMPLE))).toEqual({ matches: true, ms: expect.any(Number) });
  expect(threads).toHaveLength(1);
  const answers = await Promise.all([passwordOf(SAMPLE), Buffer.from('x'), passwordOf(SAMPLE)].map(ask));
  expect(answers.map(({ matches }) => matches)).toEqual([true, false, true]);
  expect(threads).toHaveLength(2);
});

it('passes on why a hash cannot be evaluated, and keeps the thread', async () => {
  const pool = realPool(1);
  const corrupt = { ...HASH, encoded: '$P$7' as StoredHash };
  await expect(pool.verify({ hash: corrupt, password: Buffer.of() })).rejects.toThrow(
    'can no longer be verified',
  );
  expect(await pool.verify({ hash: HASH, password: passwordOf(SAMPLE) })).toMatchObject({ matches: true });
  expect(threads).toHaveLength(1);
});

it('the pool is first come, first served', async () => {
  const pool = obedientPool(1);
  const done: number[] = [];
  await Promise.all(
    [1, 2, 3, 4, 5].map(async (turn) => {
      const { ms } = await pool.verify(order('answer'));
      done.push(turn);
      expect(ms).toBe(turn);
    }),
  );
  expect(done).toEqual([1, 2, 3, 4, 5]);
  expect(threads).toHaveLength(1);
});

it.each(['exit', 'throw'])(
  'fails one call when a thread ends by %s, and the other calls get another thread',
  async (end) => {
    const pool = obedientPool(1);
    const outcomes = [end, 'answer', end, 'answer'].map((text) => pool.verify(order(text)));
    const settled = await Promise.allSettled(outcomes);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
    await expect(outcomes[0]).rejects.toThrow(lost);
    await expect(outcomes[0]).rejects.not.toThrow('all of the hash');
    expect(threads).toHaveLength(3);
  },
);

it('sends no work to a thread that ended while it was idle', async () => {
  const pool = obedientPool(1);
  await pool.verify(order('answer'));
  await threads[0]?.terminate();
  expect(await pool.verify(order('answer'))).toMatchObject({ ms: 1 });
  expect(threads).toHaveLength(2);
});

it('sends no work to a thread that fails after its answer', async () => {
  const pool = obedientPool(1);
  let ended = false;
  const first = pool.verify(order('answerAndThrow')).catch(() => undefined);
  threads[0]?.once('exit', () => {
    ended = true;
  });
  await first;
  await until(() => ended, LONG_MS);
  expect(await pool.verify(order('answer'))).toMatchObject({ ms: 1 });
});

it('keeps its size when threads end, whatever they were doing', async () => {
  const pool = obedientPool(2);
  void pool.verify(order('hang')).catch(() => {});
  for (let round = 0; round < 3; round += 1) {
    await expect(pool.verify(order('exit'))).rejects.toThrow(lost);
    await expect(pool.verify(order('refuse'))).rejects.toThrow('no longer be verified');
  }
  const answers = [pool.verify(order('answer')), pool.verify(order('answer'))];
  expect(await Promise.all(answers)).toHaveLength(2);
  // The hanging thread occupies its place until it is terminated.
  await threads[0]?.terminate();
  const both = [pool.verify(order('hang')), pool.verify(order('answer'))];
  expect(await both[1]).toMatchObject({ matches: true });
  void both[0]?.catch(() => {});
});

it('fails each call if threads cannot start', async () => {
  const pool = new WorkerPool(
    SETUP,
    2,
    watched(() => new Worker('throw new TypeError("no such file")', { eval: true })),
  );
  const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => pool.verify(order('answer'))));
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { message: `${lost}: TypeError` } });
  }
});
