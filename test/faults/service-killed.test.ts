import { expect, it } from 'vitest';
import { Client, ImportLoad, importOf } from '../support/client.ts';
import { useServices } from '../support/compiled-service.ts';
import { expectAllKept, useOwnPostgres, waitUntil } from './postgres.ts';

const CONNECTIONS = 32;

const postgres = await useOwnPostgres();
const services = useServices();

it('keeps every import that it answered with 200, when it is killed', async () => {
  const first = services.startOn(postgres.uri());
  const importing = new Client(await first.ready(), CONNECTIONS);
  const load = new ImportLoad(importing, CONNECTIONS);
  await waitUntil(() => load.acknowledged.length >= 1500);
  await first.kill();
  await load.broken();
  importing.close();
  expect(load.refused).toEqual([]);

  const second = services.startOn(postgres.uri());
  const client = new Client(await second.ready(), 4);
  await expectAllKept(postgres.uri(), load.acknowledged);
  // The most recent imports are the likeliest to be lost.
  for (const index of load.acknowledged.slice(-40)) {
    const { email, password } = importOf(index);
    const { status, body } = await client.send('POST', '/recipe/signin', { email, password });
    expect([status, body.status, body.user.emails]).toEqual([200, 'OK', [email]]);
  }
  client.close();
});
