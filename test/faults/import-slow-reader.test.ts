import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { CITUS } from '../../src/postgres/citus/citus.ts';
import { ONE_POSTGRES } from '../../src/postgres/client/engine.ts';
import { IS_CITUS } from '../support/citus.ts';
import { useServices } from '../support/compiled-service.ts';
import { ImportStream, sendAll } from '../support/import-stream.ts';
import { rowsOf } from '../support/rows-of.ts';
import { expectMigrated, expectMigrationReport, migrationLines } from './migration.ts';
import { waitUntil } from './postgres.ts';

/** More lines than all chunks in progress hold. */
const LINES = 120_000 * (IS_CITUS ? CITUS : ONE_POSTGRES).chunkScale;
const WARM_UP_LINES = 10_000;

/** Memory of a few chunks and their results. The whole stream would take several times as much. */
const MAX_GROWTH_MIB = 80;

const services = useServices();

async function memoryMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}

async function linesDone(uri: string): Promise<number> {
  const [row] = await rowsOf<{ done: number }>(
    uri,
    "select next_line::int - 1 as done from imports where import_id = 'it'",
  );
  return row?.done ?? 0;
}

it('a caller that does not read pauses its own import, which uses no memory meanwhile', async () => {
  const { uri, service, url, client } = await services.begin();
  // The first import makes V8 compile the code and allocate buffers.
  const warmUp = new ImportStream(url, '?dryRun=true');
  await sendAll(warmUp, migrationLines(WARM_UP_LINES));
  expectMigrationReport(await warmUp.finished(), WARM_UP_LINES, { isDryRun: true });
  const before = await memoryMib(service.pid);

  const stream = new ImportStream(url, '?importId=it', { reads: false });
  const sending = sendAll(stream, migrationLines(LINES));
  let peak = 0;
  let done = -1;
  await waitUntil(async () => {
    await sleep(400);
    peak = Math.max(peak, await memoryMib(service.pid));
    const last = done;
    done = await linesDone(uri);
    return done > 0 && done === last && stream.waitingBytes > 0;
  });
  expect(done).toBeLessThan(LINES);
  expect(await client.send('GET', '/users/count')).toMatchObject({ status: 200 });

  await stream.read();
  await sending;
  const report = await stream.finished();
  peak = Math.max(peak, await memoryMib(service.pid));
  expectMigrationReport(report, LINES);
  await expectMigrated(uri, LINES);
  expect(peak - before).toBeLessThan(MAX_GROWTH_MIB);
});
