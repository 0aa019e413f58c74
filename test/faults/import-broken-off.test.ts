import { expect, it } from 'vitest';
import { CITUS } from '../../src/postgres/citus/citus.ts';
import { ONE_POSTGRES } from '../../src/postgres/client/engine.ts';
import { IS_CITUS } from '../support/citus.ts';
import { useServices } from '../support/compiled-service.ts';
import { useTestDatabase } from '../support/database.ts';
import { ImportStream, sendAll } from '../support/import-stream.ts';
import { rowsOf } from '../support/rows-of.ts';
import { expectContinues, expectMigrated, expectMigrationReport, migrationLines } from './migration.ts';
import { waitForRows, waitUntil } from './postgres.ts';

/** Enough lines that some chunks are not written yet when the first is answered. */
const LINES = 15_000 * (IS_CITUS ? CITUS : ONE_POSTGRES).chunkScale;

const services = useServices();

async function resume(url: string) {
  const stream = new ImportStream(url, '?importId=it');
  await sendAll(stream, migrationLines(LINES));
  return stream.finished();
}

it('continues when its caller disconnects, and can be resumed', async () => {
  const { uri, service, url, client } = await services.begin();
  const stream = new ImportStream(url, '?importId=it');
  void sendAll(stream, migrationLines(LINES));
  await waitUntil(() => stream.text.length > 250_000);
  stream.destroy();
  const broken = await stream.finished();
  expect(broken.summary).toBeUndefined();
  expect(await client.send('GET', '/health/ready')).toMatchObject({ status: 200 });
  const stored = new Set((await rowsOf(uri, 'select user_id from users')).map(({ user_id }) => user_id));
  expect(broken.results.filter(({ userId }) => userId !== undefined && !stored.has(userId))).toEqual([]);

  const report = await resume(url);
  expectMigrationReport(report, LINES);
  expectContinues(broken, report);
  await expectMigrated(uri, LINES);
  expect(service.stdout).not.toContain('"level":"error"');
});

it('an import is told when the service stops, which then exits cleanly, and is resumed by the next service', async () => {
  const { uri } = await useTestDatabase();
  const first = services.startOn(uri);
  const stream = new ImportStream(await first.ready(), '?importId=it');
  void sendAll(stream, migrationLines(LINES));
  await waitUntil(() => stream.text.length > 250_000);
  first.child.kill('SIGTERM');
  const broken = await stream.finished();
  expect(broken).toMatchObject({ summary: undefined, error: { code: 'SHUTTING_DOWN' }, importId: 'it' });
  expect(await first.ended()).toBe(0);
  expect(first.logged('stopped')).toHaveLength(1);
  expect(first.stdout).not.toContain('"level":"error"');

  const report = await resume(await services.startOn(uri).ready());
  expectMigrationReport(report, LINES);
  expectContinues(broken, report);
  await expectMigrated(uri, LINES);
});

it('does not keep the service from stopping if its response is not read', async () => {
  const { uri } = await useTestDatabase();
  const first = services.startOn(uri, { SHUTDOWN_TIMEOUT_MS: '500' });
  const stream = new ImportStream(await first.ready(), '?importId=it', { reads: false });
  // More than fits into all buffers on the way.
  void sendAll(stream, migrationLines(1_000_000));
  await waitForRows(uri, 'select from import_chunks limit 1', (chunks) => chunks.length > 0);
  first.child.kill('SIGTERM');
  expect(await first.ended()).toBe(0);
  stream.destroy();
});
