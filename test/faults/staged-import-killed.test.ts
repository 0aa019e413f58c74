import { expect, it } from 'vitest';
import { until } from '../../src/lib/async/until.ts';
import { Client, importOf } from '../support/client.ts';
import { useServices } from '../support/compiled-service.ts';
import { rowsOf } from '../support/rows-of.ts';
import { blockImports, expectAllKept, useOwnPostgres, waitUntil } from './postgres.ts';

const FIRST = 1500;
const ALL = 4500;

const postgres = await useOwnPostgres();
const services = useServices();

const formsOf = (indexes: readonly number[]) => ({
  users: indexes.map((index) => {
    const { email, passwordHash } = importOf(index);
    return { loginMethods: [{ recipeId: 'emailpassword', email, passwordHash, hashingAlgorithm: 'bcrypt' }] };
  }),
});

async function countOf(client: Client, status = ''): Promise<number> {
  const { body } = await client.send('GET', `/bulk-import/users/count${status && `?status=${status}`}`);
  return body.count;
}

it('leaves staged users to another instance when it is killed during a batch', async () => {
  const indexes = Array.from({ length: ALL }, (_, index) => index);
  const first = services.startOn(postgres.uri());
  const client = new Client(await first.ready(), 2);
  expect((await client.send('POST', '/bulk-import/users', formsOf(indexes.slice(0, FIRST)))).status).toBe(
    200,
  );
  await waitUntil(async () => (await countOf(client)) === 0);

  const block = await blockImports(postgres.uri());
  expect((await client.send('POST', '/bulk-import/users', formsOf(indexes.slice(FIRST)))).status).toBe(200);
  await waitUntil(async () => (await block.blocked()) > 0);
  expect([await countOf(client, 'NEW'), await countOf(client)]).toEqual([ALL - FIRST, ALL - FIRST]);
  await first.kill();
  client.close();

  const second = services.startOn(postgres.uri());
  const other = new Client(await second.ready(), 4);
  await block.release();
  // PostgreSQL ends the transaction of the killed instance, and the next look of the other one finds its users.
  expect(await until(async () => (await countOf(other)) === 0, 60_000)).toBe(true);
  await expectAllKept(postgres.uri(), indexes);
  expect(await rowsOf(postgres.uri(), 'select count(*)::int as count from users')).toEqual([{ count: ALL }]);
  const { email, password } = importOf(ALL - 1);
  expect((await other.send('POST', '/recipe/signin', { email, password })).body.status).toBe('OK');
  other.close();
}, 90_000);
