import { once } from 'node:events';
import { request } from 'node:http';
import { expect, it, onTestFinished, vi } from 'vitest';
import { KdfGate } from '../../../src/hashing/kdf-gate.ts';
import { API_KEY, useTestApp } from '../../support/app.ts';

/**
 * Starts the service behind a socket, with room for one computation, which a first sign-in occupies until the test
 * calls `free`.
 */
async function useBusyService(queueLimit: number) {
  let free = () => {};
  const isFree = new Promise<void>((resolve) => {
    free = resolve;
  });
  const { run } = KdfGate.prototype;
  const gate = vi.spyOn(KdfGate.prototype, 'run');
  gate.mockImplementation(function (this: KdfGate, cost, work, ...others) {
    const isFirst = gate.mock.calls.length === 1;
    // Two quick computations would have room.
    const slow = { ...cost, ms: 100 };
    return run.call(this, slow, isFirst ? () => isFree.then(work) : work, ...others);
  });
  onTestFinished(() => gate.mockRestore());
  const service = await useTestApp({ config: { hashing_concurrency: 1, hashing_queue_limit: queueLimit } });
  onTestFinished(free);
  const url = await service.app.listen({ port: 0, host: '127.0.0.1' });
  const signIn = (email: string) => {
    const client = request(`${url}/recipe/signin`, {
      method: 'POST',
      headers: { 'api-key': API_KEY, 'content-type': 'application/json' },
    });
    client.on('error', () => {}).end(JSON.stringify({ email, password: 'any' }));
    return client;
  };
  /** Resolves when this many sign-ins have reached the gate. */
  const arrived = async (count: number) => {
    await expect.poll(() => gate.mock.calls.length).toBe(count);
    await new Promise(setImmediate);
  };
  const holder = signIn('holder@b.c');
  await arrived(1);
  return {
    ...{ signIn, free, holder, arrived },
    statuses: () => [...service.log().matchAll(/"status":(\d+)/g)].map(([, status]) => Number(status)),
  };
}

it('answers 503 with Retry-After if the queue is full', async () => {
  const { signIn, free, arrived } = await useBusyService(1);
  const waiting = signIn('first@b.c');
  await arrived(2);
  const [answer] = await once(signIn('second@b.c'), 'response');
  expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '1']);
  expect(JSON.parse((await answer.toArray()).join(''))).toEqual({
    statusCode: 503,
    code: 'OVERLOADED',
    error: 'Service Unavailable',
    message: 'Service is overloaded: too many passwords are waiting to be checked',
  });
  free();
  const [first] = await once(waiting, 'response');
  expect(first.resume().statusCode).toBe(200);
});

it('answers 503 at once if the queue has no places', async () => {
  const { signIn } = await useBusyService(0);
  const [answer] = await once(signIn('first@b.c'), 'response');
  expect(answer.resume().statusCode).toBe(503);
});

it('gives the place of a caller that hangs up to the next one', async () => {
  const { signIn, free, arrived, statuses } = await useBusyService(1);
  const leaving = signIn('leaving@b.c');
  await arrived(2);
  leaving.destroy();
  await expect.poll(statuses).toEqual([499]);
  const staying = signIn('staying@b.c');
  await arrived(3);
  free();
  const [answer] = await once(staying, 'response');
  expect(answer.resume().statusCode).toBe(200);
  await expect.poll(statuses).toEqual([499, 200, 200]);
});
