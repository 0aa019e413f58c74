import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { sendBlocked } from '../support/client.ts';
import { useServices } from '../support/compiled-service.ts';
import { rowsOf } from '../support/rows-of.ts';
import { blockImports, sendWaiting, waitUntil } from './postgres.ts';

const services = useServices();

/** A stop drops requests soon. Nothing else ends them. */
const HASTY = { SHUTDOWN_TIMEOUT_MS: '300', REQUEST_TIMEOUT_MS: '600000' };

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
    const { uri, service, url, client } = await services.begin({}, 10);
    const lock = await blockImports(uri);
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

it('exits although a client never finishes its request, and a statement never ends', async () => {
  const { uri, service, url, client } = await services.begin(HASTY, 1);
  const { reply, release } = await sendWaiting(client, uri);
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {}).resume();
  await once(socket, 'connect');
  socket.write('POST /recipe/signin HTTP/1.1\r\nhost: here\r\ncontent-length: 100\r\n\r\n{');
  service.child.kill('SIGTERM');
  await once(socket, 'close');
  expect(await reply).toBe('dropped');
  expect(await service.ended()).toBe(0);
  await release();
});

it('exits at once on a second signal', async () => {
  const { uri, service, client } = await services.begin({ SHUTDOWN_TIMEOUT_MS: '600000' }, 1);
  const { reply, release } = await sendWaiting(client, uri);
  service.child.kill('SIGTERM');
  await waitUntil(() => service.logged('stopping').length === 1);
  // A second signal within a moment would count as the same one.
  await sleep(1000);
  service.child.kill('SIGTERM');
  expect(await service.ended()).toBe(1);
  expect(await reply).toBe('dropped');
  await release();
});
