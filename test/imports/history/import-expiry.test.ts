import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createExpiry } from '../../../src/imports/import-history.ts';
import type { ImportStore } from '../../../src/imports/import-store.ts';
import { createImportStore } from '../../../src/postgres/imports/create-import-store.ts';
import { createTestApp, type TestApp } from '../../support/app.ts';
import { getImport, importWithId, rollBack, stream } from '../../support/import-calls.ts';
import { failure } from '../../support/service-calls.ts';
import { undoRows, userRows } from '../../support/user-tables.ts';
import {
  connectedDatabase,
  googleLine,
  importInChunks,
  numbers,
  passwordLine,
} from './rollback-under-test.ts';

const HOUR_MS = 60 * 60 * 1000;

let service: TestApp;
let imports: ImportStore;
beforeEach(async () => {
  service = await createTestApp();
  imports = createImportStore(service.database.db, service.database.db);
});
afterEach(() => service.close());

const TABLES = ['import_chunks', 'import_changes'];

/** Makes the records of this import a number of days older. */
async function age(importId: string, days: number, tables = TABLES): Promise<void> {
  for (const table of tables) {
    // Each time is computed separately, because Citus does not allow this in an update.
    const times = await service.database.db.query<{ written: string; aged: string }>(
      `select distinct written_at::text as written, (written_at - $2 * interval '1 day')::text as aged
       from ${table} where import_id = $1`,
      [importId, days],
    );
    for (const { written, aged } of times) {
      await service.database.db.query(
        `update ${table} set written_at = $3 where import_id = $1 and written_at = $2`,
        [importId, written, aged],
      );
    }
  }
}

const lines = (variant: number) => [
  ...numbers(0, 6).map((n) => passwordLine(n, variant)),
  ...numbers(0, 3).map((n) => googleLine(n, `${variant}.c`)),
];

describe('expired records', () => {
  it('are deleted separately for each import, and younger ones are kept', async () => {
    const { db } = service.database;
    for (const [index, id] of ['a', 'b', 'c'].entries()) await importInChunks(db, id, lines(index * 2), 4);
    await age('a', 31);
    await age('b', 29.9);
    const users = await userRows(db);
    expect(await undoRows(db)).toMatchObject({ import_chunks: 9, import_changes: 18 });
    expect(await imports.expire(30)).toBe(3);
    expect(await undoRows(db)).toMatchObject({ import_chunks: 6, import_changes: 18 });
    expect(await imports.expire(30)).toBe(0);
    expect(await imports.expire(29)).toBe(3 + 3);
    expect(await undoRows(db)).toMatchObject({ import_chunks: 3, import_changes: 9 });
    expect(await userRows(db)).toEqual(users);
    const expired = (await imports.list({ limit: 10 })).map((one) => [
      one.importId,
      one.expiredAtMs !== undefined,
    ]);
    expect(expired).toEqual([
      ['c', false],
      ['b', true],
      ['a', true],
    ]);
  });

  it('make an import impossible to roll back or resume, even if only some are deleted', async () => {
    const { db } = service.database;
    const all = lines(0);
    await importWithId(service, 'it', all.slice(0, 3));
    await age('it', 31);
    await importWithId(service, 'it', all);
    const users = await userRows(db);
    await imports.expire(30);
    expect(await undoRows(db)).toMatchObject({ import_chunks: 1 });
    expect(await rollBack(service, 'it')).toMatchObject({
      status: 200,
      body: { status: 'IMPORT_EXPIRED_ERROR' },
    });
    expect(await stream(service, 'it', all)).toMatchObject(
      failure(400, 'IMPORT_EXPIRED', 'The import with this importId is too old to be resumed'),
    );
    expect(await userRows(db)).toEqual(users);
    expect(await getImport(service, 'it')).toMatchObject({ status: 'FINISHED', created: 9 });
  });

  it('are not deleted during a rollback, which then ends with an error', async () => {
    const { db } = service.database;
    await importInChunks(db, 'before', lines(0));
    await importInChunks(db, 'it', [...lines(2), passwordLine(50, 0)]);
    expect(await imports.beginRollback('it')).toBe(true);
    const steps = imports.rollBack('it', () => false);
    // States and factors, and then all other changes.
    await steps.next();
    await steps.next();
    await age('it', 31, ['import_chunks']);
    await imports.expire(30);
    for await (const _ of steps);
    const { status, text } = await rollBack(service, 'it');
    const { status: told, rollback } = JSON.parse(text);
    expect([status, told]).toEqual([200, 'IMPORT_EXPIRED_ERROR']);
    expect(rollback).toMatchObject({ hashesRestored: 6, emailsRestored: 3, usersRemoved: 0 });
    expect(await getImport(service, 'it')).toMatchObject({ status: 'ROLLBACK_UNFINISHED', rollback });
  });

  it('are deleted some hundred rows at a time, also by several instances at once', async () => {
    const { db, uri } = service.database;
    await db.query(
      `insert into import_changes (import_id, written_at, kind, changes, broken_hashes)
       select 'it', now() - interval '40 days', 'rows', '[["password_logins","","",{},{}]]', 0 from generate_series(1, 1200) n`,
    );
    expect(await imports.expire(30)).toBe(500);
    const others = await Promise.all([connectedDatabase(uri), connectedDatabase(uri)]);
    const counts = await Promise.all(others.map((other) => createImportStore(other, other).expire(30)));
    for (const other of others) await other.close();
    // Instances may delete the same rows. Only one of them then counts a row.
    expect(counts.every((count) => count <= 500)).toBe(true);
    const [{ left } = { left: 0 }] = await db.query<{ left: number }>(
      'select count(*)::int as left from import_changes',
    );
    expect(left).toBe(700 - counts.reduce((sum, count) => sum + count, 0));
  });
});

// What it does after an error is tested with Poller.
it('the expiry runs repeatedly until nothing is left, and then about every hour', async () => {
  const left = [5000, 5000, 7, 0, 0, 3, 0];
  const asked: number[] = [];
  const expire = async (days: number) => {
    asked.push(days);
    return left.shift() ?? 0;
  };
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const one = createExpiry({ imports: { expire }, days: 30, onError: () => {} });
  onTestFinished(() => one.stop());
  one.start();
  await vi.advanceTimersByTimeAsync(0);
  expect(asked).toEqual([30, 30, 30, 30]);
  await vi.advanceTimersByTimeAsync(0.79 * HOUR_MS);
  expect(asked).toHaveLength(4);
  await vi.advanceTimersByTimeAsync(0.42 * HOUR_MS);
  expect(asked).toHaveLength(5);
  await vi.advanceTimersByTimeAsync(1.2 * HOUR_MS);
  expect(asked).toHaveLength(7);
});

it('a stop ends the expiry after the current statement, however much is left', async () => {
  let calls = 0;
  const expire = async () => {
    calls += 1;
    void one.stop();
    return calls < 9 ? 5000 : 0;
  };
  const one = createExpiry({ imports: { expire }, days: 30, onError: () => {} });
  await one.idle();
  expect(calls).toBe(1);
});
