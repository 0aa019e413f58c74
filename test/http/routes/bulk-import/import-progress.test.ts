import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../../support/app.ts';
import { BCRYPT } from '../../../support/example-hashes.ts';
import { getImport, importWithId, rolledBack, stream } from '../../../support/import-calls.ts';
import { ImportStream } from '../../../support/import-stream.ts';
import { ndjson } from '../../../support/ndjson.ts';
import { failure } from '../../../support/service-calls.ts';

let service: TestApp;
/** Another instance on the same database. */
let other: TestApp;
let url: string;
beforeAll(async () => {
  service = await createTestApp();
  other = await createTestApp({ database: service.database });
  url = await service.app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await other.app.close();
  await service.close();
});

let made = 0;
const good = () => {
  made += 1;
  return { email: `progress-${made}@b.c`, passwordHash: BCRYPT.hash };
};
const NO_EMAIL = { email: 'x', passwordHash: BCRYPT.hash };

async function seenBy(one: TestApp, importId: string): Promise<Record<string, unknown>> {
  return (await getImport(one, importId)) ?? {};
}

describe('the total', () => {
  it.each(['', '-1', '1.5', '1e3', 'x', '9'.repeat(16)])('may not be "%s"', async (total) => {
    expect(await stream(service, 'no-total', [good()], `&total=${total}`)).toMatchObject(
      failure(400, 'QUERY_INVALID', "Field name 'total' is invalid in query: expected an integer"),
    );
    expect(await getImport(service, 'no-total')).toBeUndefined();
  });

  it('is the most recently announced one, whatever the outcome', async () => {
    await importWithId(service, 'total', [good()]);
    expect(await seenBy(service, 'total')).not.toHaveProperty('total');
    const lines = [good(), NO_EMAIL];
    await importWithId(service, 'said', lines, '&total=0');
    expect(await seenBy(service, 'said')).toMatchObject({ total: 0, lines: 2 });
    await importWithId(service, 'said', lines, '&total=999999999999999');
    expect(await seenBy(service, 'said')).toMatchObject({ total: 999_999_999_999_999, lines: 2 });
    // A request without a total changes nothing.
    await importWithId(service, 'said', lines);
    expect(await seenBy(service, 'said')).toMatchObject({ total: 999_999_999_999_999 });
  });
});

describe('an import that runs', () => {
  it('is shown by every instance, with its progress', async () => {
    const sender = new ImportStream(url, '?importId=live&total=5');
    sender.write(ndjson(good(), NO_EMAIL));
    await expect.poll(() => sender.report.results.length).toBe(2);
    const first = await seenBy(other, 'live');
    expect(first).toMatchObject({
      status: 'UNFINISHED',
      running: true,
      lines: 2,
      total: 5,
      created: 1,
      failuresByCode: { FIELD_INVALID: 1 },
    });
    sender.write(ndjson(good()));
    await expect.poll(() => sender.report.results.length).toBe(3);
    const second = await seenBy(other, 'live');
    expect(second).toMatchObject({ running: true, lines: 3 });
    expect(Number(second.updatedAt)).toBeGreaterThan(Number(first.updatedAt));
    expect(Number(second.durationMs)).toBeGreaterThan(0);
    await sender.end(ndjson(good())).finished();
    expect(await seenBy(other, 'live')).toMatchObject({ status: 'FINISHED', running: false, lines: 4 });
  });

  it('is no longer running when its sender is gone', async () => {
    const sender = new ImportStream(url, '?importId=gone');
    sender.write(ndjson(good()));
    await expect.poll(() => sender.report.results.length).toBe(1);
    expect(await seenBy(other, 'gone')).toMatchObject({ running: true });
    sender.destroy();
    await expect.poll(() => seenBy(other, 'gone')).toMatchObject({ running: false, status: 'UNFINISHED' });
  });

  it('counts the time of a killed run up to its last chunk', async () => {
    await importWithId(service, 'killed', [good()]);
    const { db } = service.database;
    await db.query(
      `update imports set active_ms = 1000, finished_at = null, run_started_at = now() - interval '9 seconds',
         updated_at = now() - interval '5 seconds' where import_id = 'killed'`,
    );
    expect(await seenBy(service, 'killed')).toMatchObject({ running: true, durationMs: 5000 });
    await importWithId(service, 'killed', []);
    const { running, durationMs } = await seenBy(service, 'killed');
    expect([running, Number(durationMs) >= 5000]).toEqual([false, true]);
  });

  it('is no longer running after it is rolled back', async () => {
    const sender = new ImportStream(url, '?importId=undone');
    sender.write(ndjson(good()));
    await expect.poll(() => sender.report.results.length).toBe(1);
    await rolledBack(other, 'undone');
    expect(await seenBy(other, 'undone')).toMatchObject({ status: 'ROLLED_BACK', running: false });
    const report = await sender.end(ndjson(good())).finished();
    expect(report.error?.code).toBe('IMPORT_TAKEN_OVER');
    expect(await seenBy(other, 'undone')).toMatchObject({ status: 'ROLLED_BACK', running: false });
  });
});

describe('a dry run', () => {
  it('is shown after a second, and starts from the beginning when it is repeated', async () => {
    const sender = new ImportStream(url, '?importId=dry&dryRun=true');
    sender.write(ndjson(good(), NO_EMAIL));
    await expect.poll(() => sender.report.results.length).toBe(2);
    expect(await seenBy(other, 'dry')).toMatchObject({ running: true, lines: 0 });
    await sleep(1000);
    sender.write(ndjson(good()));
    await expect
      .poll(() => seenBy(other, 'dry'))
      .toMatchObject({ running: true, lines: 3, failuresByCode: { FIELD_INVALID: 1 } });
    await sender.end(ndjson(NO_EMAIL)).finished();
    expect(await seenBy(other, 'dry')).toMatchObject({ running: false, lines: 4, status: 'FINISHED' });

    const again = new ImportStream(url, '?importId=dry&dryRun=true');
    again.write(ndjson(good()));
    await expect.poll(() => again.report.results.length).toBe(1);
    expect(await seenBy(other, 'dry')).toMatchObject({
      running: true,
      lines: 0,
      failuresByCode: {},
      algorithms: {},
    });
    await again.end().finished();
    expect(await seenBy(other, 'dry')).toMatchObject({ lines: 1, failed: 0 });
  });

  it('has its failures recorded before its end if there are many', async () => {
    const sender = new ImportStream(url, '?importId=dry-many&dryRun=true');
    sender.write(ndjson(...Array.from({ length: 2500 }, () => NO_EMAIL)));
    await expect.poll(() => sender.report.results.length).toBe(2500);
    await expect.poll(async () => Number((await seenBy(other, 'dry-many')).failed)).toBeGreaterThan(1999);
    await sender.end().finished();
    expect(await seenBy(other, 'dry-many')).toMatchObject({ failuresByCode: { FIELD_INVALID: 2500 } });
  });
});
