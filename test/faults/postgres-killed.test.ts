import { expect, it } from 'vitest';
import { Client, ImportLoad, importOf } from '../support/client.ts';
import { useServices } from '../support/compiled-service.ts';
import { expectAllKept, useOwnPostgres, waitUntil } from './postgres.ts';

const CONNECTIONS = 32;

const postgres = await useOwnPostgres();
const services = useServices();

it('answers 503 while Postgres is gone, recovers when it is back, and loses no acknowledged import', async () => {
  const url = await services.startOn(postgres.uri()).ready();
  const client = new Client(url, CONNECTIONS);
  const probe = new Client(url, 1);
  const load = new ImportLoad(client, CONNECTIONS);
  await waitUntil(() => load.acknowledged.length >= 1000);
  expect(load.refused).toEqual([]);

  await postgres.kill();
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
  await postgres.startAgain();
  await waitUntil(() => load.acknowledged.length >= before + 500);
  await load.stop();

  for (const { status, headers, body } of load.refused) {
    expect([status, headers['retry-after'], body.code]).toEqual([503, '1', 'STORAGE_UNAVAILABLE']);
  }
  // The answer of the readiness probe is up to a second old.
  await expect.poll(() => probe.send('GET', '/health/ready')).toMatchObject({ status: 200 });
  await expectAllKept(postgres.uri(), load.acknowledged);
  const { email, password } = importOf(load.acknowledged[before - 1] ?? -1);
  expect(await probe.send('POST', '/recipe/signin', { email, password })).toMatchObject({
    status: 200,
    body: { status: 'OK' },
  });
  client.close();
  probe.close();
});
