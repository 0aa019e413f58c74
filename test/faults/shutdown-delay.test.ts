import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Client, importOf, type Reply } from '../support/client.ts';
import { type ServiceProcess, useServices } from '../support/compiled-service.ts';
import { rawRequest, rawSocket } from '../support/raw-socket.ts';
import { IMPORT } from '../support/service-calls.ts';
import { waitUntil } from './postgres.ts';

const services = useServices();

/** Starts a service and tells it to stop, so that it drains for `delayMs`. */
async function draining(delayMs: number): Promise<{ service: ServiceProcess; url: string; kept: Client }> {
  const { service, url } = await services.begin({ SHUTDOWN_DELAY_MS: String(delayMs) });
  const kept = new Client(url, 1);
  const before = await kept.send('GET', '/health/ready');
  expect([before.status, before.headers.connection]).toEqual([200, 'keep-alive']);
  service.child.kill('SIGTERM');
  await waitUntil(() => service.logged('stopping').length === 1);
  return { service, url, kept };
}

const told = ({ status, body, headers }: Reply) => [status, body, headers.connection];

it('serves requests while it reports not ready, and closes connections after each answer', async () => {
  const { service, url, kept } = await draining(600_000);
  const unready = { status: 'unavailable', reason: 'draining' };
  expect(told(await kept.send('GET', '/health/ready'))).toEqual([503, unready, 'close']);
  const fresh = new Client(url, 1);
  expect(told(await fresh.send('GET', '/health/live'))).toEqual([200, { status: 'ok' }, 'close']);
  const { status, body, headers } = await fresh.send('POST', IMPORT, importOf(1));
  expect([status, body.status, headers.connection]).toEqual([200, 'OK', 'close']);
  // Longer than the time within which a second signal counts as the same one (main.ts).
  await sleep(600);
  service.child.kill('SIGTERM');
  expect(await service.ended()).toBe(1);
});

it('accepts a stream while it drains, and tells it to resume when it stops', async () => {
  const { service, url } = await draining(1000);
  const { email, passwordHash } = importOf(1);
  const line = `${JSON.stringify({ email, passwordHash })}\n`;
  const chunk = `${line.length.toString(16)}\r\n${line}\r\n`;
  const headers = { 'content-type': 'application/x-ndjson', 'transfer-encoding': 'chunked' };
  const stream = rawSocket(url, rawRequest('POST', '/bulk-import/stream?importId=it', headers, chunk));
  const text = await stream.closed;
  // The service has not read the body yet. An answer that closes the connection could be lost.
  expect(text.toLowerCase()).not.toContain('connection: close');
  expect(text).toContain('{"error":{"code":"SHUTTING_DOWN"');
  expect(await service.ended()).toBe(0);
  expect(service.logged('stopped')).toHaveLength(1);
});
