import { afterAll, expect, it } from 'vitest';
import { Client, ImportLoad } from '../support/client.ts';
import { ServiceRunner } from '../support/compiled-service.ts';
import { useTestDatabase } from '../support/database.ts';
import { ImportStream, sendAll } from '../support/import-stream.ts';
import { usersOf } from '../support/staging.ts';
import { migrationLines, passwordLines } from './migration.ts';

const LINES = 6000;

const services = await ServiceRunner.create();
afterAll(() => services.close());

it('bulk work of every kind completes beside single calls', {
  timeout: 60_000,
}, async () => {
  const { uri } = await useTestDatabase();
  const service = services.startOn(uri);
  const url = await service.ready();
  const client = new Client(url, 8);
  const undone = new ImportStream(url, '?importId=undone');
  await sendAll(undone, passwordLines('undone', LINES));
  expect((await undone.finished()).summary).toMatchObject({ created: LINES });

  const load = new ImportLoad(new Client(url, 4), 4);
  const streams = ['?importId=a', '?importId=b', '?importId=c', '?dryRun=true'].map(async (query) => {
    const stream = new ImportStream(url, query);
    await sendAll(stream, query === '?dryRun=true' ? migrationLines(LINES) : passwordLines(query, LINES));
    return stream.finished();
  });
  const others = [
    client.send('POST', '/bulk-import/imports/undone/rollback'),
    client.send('POST', '/bulk-import/users', { users: usersOf(500, 'staged') }),
  ];
  for (const report of await Promise.all(streams)) expect(report.summary).toMatchObject({ lines: LINES });
  for (const reply of await Promise.all(others)) expect(reply.status).toBe(200);
  await expect
    .poll(async () => (await client.send('GET', '/bulk-import/users/count')).body.count, { timeout: 30_000 })
    .toBe(0);
  await load.stop();
  expect(load.refused).toEqual([]);
  expect(load.acknowledged.length).toBeGreaterThan(10);
  client.close();
});
