import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { Client, importOf, sendBlocked } from '../support/client.ts';
import { ServiceRunner } from '../support/compiled-service.ts';
import { useTestDatabase } from '../support/database.ts';
import { rowsOf } from '../support/rows-of.ts';
import { IMPORT } from '../support/service-calls.ts';
import { blockImports, waitUntil } from './postgres.ts';

const services = await ServiceRunner.create();
afterAll(() => services.close());

async function isRefused(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, 'connect');
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
  } finally {
    socket.destroy();
  }
}

it.each([
  ['once', 'SIGTERM', 1],
  ['twice in a moment, as by a terminal and npm', 'SIGINT', 2],
] as const)(
  'finishes requests in flight, refuses new connections and exits with 0, told %s',
  async (_, signal, times) => {
    const { uri } = await useTestDatabase();
    const service = services.startOn(uri);
    const url = await service.ready();
    const lock = await blockImports(uri);
    const client = new Client(url, 10);
    const replies = await sendBlocked(client, 10, lock.blocked);

    for (let time = 0; time < times; time += 1) service.child.kill(signal);
    await waitUntil(() => isRefused(url));
    expect(service.child.exitCode).toBe(null);
    await lock.release();
    for (const reply of await Promise.all(replies)) {
      expect([reply.status, reply.body.status, reply.headers.connection]).toEqual([200, 'OK', 'close']);
    }
    expect(await service.ended()).toBe(0);
    expect(service.logged('stopping')).toMatchObject([{ signal }]);
    expect(service.logged('stopped')).toHaveLength(1);
    expect(await rowsOf(uri, 'select email from password_logins')).toHaveLength(10);
  },
);

it('exits although a client never finishes its request', async () => {
  const { uri } = await useTestDatabase();
  const service = services.startOn(uri, { SHUTDOWN_TIMEOUT_MS: '300', REQUEST_TIMEOUT_MS: '600000' });
  const { hostname, port } = new URL(await service.ready());
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {}).resume();
  await once(socket, 'connect');
  socket.write('POST /recipe/signin HTTP/1.1\r\nhost: here\r\ncontent-length: 100\r\n\r\n{');
  service.child.kill('SIGTERM');
  await once(socket, 'close');
  expect(await service.ended()).toBe(0);
});

it('exits although a statement never finishes', async () => {
  const { uri } = await useTestDatabase();
  const service = services.startOn(uri, { SHUTDOWN_TIMEOUT_MS: '300', REQUEST_TIMEOUT_MS: '600000' });
  const client = new Client(await service.ready(), 1);
  const lock = await blockImports(uri);
  const reply = client.send('POST', IMPORT, importOf(1)).catch(() => 'dropped');
  await waitUntil(async () => (await lock.blocked()) > 0);
  service.child.kill('SIGTERM');
  expect(await reply).toBe('dropped');
  expect(await service.ended()).toBe(0);
  await lock.release();
});

it('exits at once on a second signal', async () => {
  const { uri } = await useTestDatabase();
  const service = services.startOn(uri, { SHUTDOWN_TIMEOUT_MS: '600000' });
  const client = new Client(await service.ready(), 1);
  const lock = await blockImports(uri);
  const reply = client.send('POST', IMPORT, importOf(1)).catch(() => 'dropped');
  await waitUntil(async () => (await lock.blocked()) > 0);
  service.child.kill('SIGTERM');
  await waitUntil(() => service.logged('stopping').length === 1);
  // A second signal within a moment would count as the same one.
  await sleep(1000);
  service.child.kill('SIGTERM');
  expect(await service.ended()).toBe(1);
  expect(await reply).toBe('dropped');
  await lock.release();
});
