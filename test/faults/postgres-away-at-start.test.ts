import { expect, it } from 'vitest';
import { API_KEY } from '../support/app.ts';
import { Client } from '../support/client.ts';
import { useServices } from '../support/compiled-service.ts';
import { useTestDatabase } from '../support/database.ts';
import { closedPort, TcpProxy } from '../support/tcp-proxy.ts';
import { waitUntil } from './postgres.ts';

const services = useServices();

it('gives up after database_wait_ms, with a message', async () => {
  const uri = `postgresql://someone:not-for-the-log@127.0.0.1:${await closedPort()}/users`;
  const service = services.startOn(uri, { DATABASE_WAIT_MS: '1000' });
  expect(await service.ended()).toBe(1);
  expect(service.stderr).toBe(
    'Cannot start: Storage is unavailable: the database did not answer within 1000 ms (database_wait_ms)\n',
  );
  expect(service.logged('waiting for the database to answer')).toHaveLength(1);
  expect(service.logged('cannot start')).toMatchObject([
    { level: 'fatal', err: { code: 'STORAGE_UNAVAILABLE', cause: { code: 'ECONNREFUSED' } } },
  ]);
  expect(service.logged('ready')).toEqual([]);
  expect(service.stdout).not.toContain('not-for-the-log');
  expect(service.stdout).not.toContain(API_KEY);
});

it('does not wait for errors that waiting cannot fix', async () => {
  const { uri } = await useTestDatabase();
  const missing = new URL(uri);
  missing.pathname = '/no_such_database';
  const service = services.startOn(missing.href, { DATABASE_WAIT_MS: '600000' });
  expect(await service.ended()).toBe(1);
  expect(service.logged('waiting for the database to answer')).toEqual([]);
  expect(service.logged('cannot start')).toMatchObject([{ err: { code: '3D000' } }]);
});

it('starts if Postgres becomes available in time', async () => {
  const database = await useTestDatabase({ empty: true });
  const behind = new URL(database.uri);
  const front = new URL(database.uri);
  const port = await closedPort();
  front.hostname = '127.0.0.1';
  front.port = String(port);
  const service = services.startOn(front.href, { DATABASE_WAIT_MS: '30000' });
  await waitUntil(() => service.logged('waiting for the database to answer').length > 0);
  const proxy = await TcpProxy.listen(Number(behind.port), port);
  const client = new Client(await service.ready(), 1);
  expect(await client.send('GET', '/users/count')).toMatchObject({ status: 200, body: { count: 0 } });
  client.close();
  await service.kill();
  await proxy.close();
});
