import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/embedded-postgres/start-embedded-postgres.ts';
import { Client, ImportLoad, importOf } from '../support/client.ts';
import { ServiceRunner } from '../support/compiled-service.ts';
import { postmasterPid } from '../support/postmaster-pid.ts';
import { type Scratch, scratchDirectory } from '../support/scratch.ts';
import { portOf, TcpProxy } from '../support/tcp-proxy.ts';
import { expectAllKept, waitUntil } from './postgres.ts';

const CONNECTIONS = 32;

let services: ServiceRunner;
let scratch: Scratch;
let postgres: EmbeddedPostgres;
let proxy: TcpProxy;
beforeAll(async () => {
  scratch = await scratchDirectory();
  services = await ServiceRunner.create();
  postgres = await startEmbeddedPostgres({ directory: scratch.path });
  proxy = await TcpProxy.listen(portOf(postgres.uri));
});
afterAll(async () => {
  await services.close();
  await proxy.close();
  await postgres.stop();
  await scratch.remove();
});

it('answers 503 while Postgres is gone, recovers when it is back, and loses no acknowledged import', async () => {
  const uri = new URL(postgres.uri);
  uri.port = String(proxy.port);
  const service = services.startOn(uri.href);
  const url = await service.ready();
  const client = new Client(url, CONNECTIONS);
  const probe = new Client(url, 1);
  const load = new ImportLoad(client, CONNECTIONS);
  await waitUntil(() => load.acknowledged.length >= 1000);
  expect(load.refused).toEqual([]);

  process.kill(await postmasterPid(scratch.path), 'SIGKILL');
  await waitUntil(() => load.refused.length >= 100);
  expect(await probe.send('GET', '/health/ready')).toMatchObject({
    status: 503,
    body: { status: 'unavailable', reason: 'database' },
  });
  expect(await probe.send('GET', '/health/live')).toMatchObject({ status: 200 });
  expect(await probe.send('GET', '/users/count')).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
    body: { code: 'STORAGE_UNAVAILABLE' },
  });

  const before = load.acknowledged.length;
  await postgres.stop();
  postgres = await startEmbeddedPostgres({ directory: scratch.path });
  proxy.target = portOf(postgres.uri);
  await waitUntil(() => load.acknowledged.length >= before + 500);
  await load.stop();

  for (const { status, headers, body } of load.refused) {
    expect([status, headers['retry-after'], body.code]).toEqual([503, '1', 'STORAGE_UNAVAILABLE']);
  }
  // The answer of the readiness probe is up to a second old.
  await expect.poll(() => probe.send('GET', '/health/ready')).toMatchObject({ status: 200 });
  await expectAllKept(postgres.uri, load.acknowledged);
  const { email, password } = importOf(load.acknowledged[before - 1] ?? -1);
  expect(await probe.send('POST', '/recipe/signin', { email, password })).toMatchObject({
    status: 200,
    body: { status: 'OK' },
  });
  client.close();
  probe.close();
});
