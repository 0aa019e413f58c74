import { expect, it } from 'vitest';
import { Client, ImportLoad } from '../support/client.ts';
import { useServices } from '../support/compiled-service.ts';
import { ImportStream, sendAll } from '../support/import-stream.ts';
import { usersOf } from '../support/staging.ts';
import { migrationLines, passwordLines } from './migration.ts';

const LINES = 6000;

const services = useServices();

it('bulk work of every kind completes beside single calls', {
  timeout: 60_000,
}, async () => {
  const { url, client } = await services.begin({}, 8);
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
});
