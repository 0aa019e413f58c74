import { afterEach, beforeEach, expect, it } from 'vitest';
import { BulkPace } from '../../../src/imports/bulk-pace.ts';
import {
  type RollbackCount,
  type RollbackCounts,
  rollBackImport,
} from '../../../src/imports/import-history.ts';
import type { Transaction } from '../../../src/postgres/client/connection.ts';
import { Database } from '../../../src/postgres/client/database.ts';
import { createImportStore } from '../../../src/postgres/imports/create-import-store.ts';
import { createTestApp } from '../../support/app.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { ImportStream } from '../../support/import-stream.ts';
import { ndjson } from '../../support/ndjson.ts';
import { type Rows, undoRows, userRows } from '../../support/user-tables.ts';
import {
  connectedDatabase,
  googleLine,
  halves,
  importInChunks,
  linkedLine,
  numbers,
  passwordLine,
  rollBack,
} from './rollback-under-test.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

async function countsOf(importId: string): Promise<Partial<RollbackCounts>> {
  const [row] = await database.db.query<{ rollback: RollbackCounts | null }>(
    'select rollback from imports where import_id = $1',
    [importId],
  );
  if (row === undefined) throw new Error('no such import');
  return row.rollback ?? {};
}

/**
 * Creates users, and imports over them in chunks of `maxLines`, with every kind of change that can be undone.
 */
async function importAllKinds(maxLines: number, db = database.db): Promise<Rows> {
  const google = (from: number, to: number, domain: string) =>
    numbers(from, to).map((n) => googleLine(n, domain));
  const withHash = (from: number, to: number, variant: number) =>
    numbers(from, to).map((n) => passwordLine(n, variant));
  await importInChunks(db, 'before', [...withHash(0, 10, 0), ...google(0, 6, 'b.c')]);
  const before = await userRows(db);
  const linked = numbers(20, 25).map(linkedLine);
  const lines = [...withHash(5, 20, 2), ...google(3, 12, 'new.c'), ...linked, ...withHash(0, 12, 4)];
  await importInChunks(db, 'it', lines, maxLines);
  return before;
}

const ALL_KINDS: RollbackCounts = {
  usersRemoved: 10 + 6 + 5,
  usersKept: 0,
  // Five of the ten existing users were changed twice, and two of the new ones once.
  hashesRestored: 10 + 5 + 2,
  hashesKept: 0,
  emailsRestored: 3,
  emailsKept: 0,
  statesRestored: 0,
  statesKept: 0,
  factorsRestored: 0,
  factorsKept: 0,
  usersRestored: 0,
  usersNotRestored: 0,
};

it('restores the tables, whatever the chunks were', async () => {
  for (const maxLines of [1, 7, 1000]) {
    const other = await createTestDatabase();
    const before = await importAllKinds(maxLines, other.db);
    const store = createImportStore(other.db, other.db);
    // In a single chunk, a user is created with the last of its hashes, or changed once.
    const rollback = { ...ALL_KINDS, hashesRestored: maxLines === 1000 ? 10 : 17 };
    expect(await rollBackImport({ imports: store, pace: new BulkPace() }, 'it')).toEqual({
      outcome: 'rolled-back',
      rollback,
    });
    expect(await userRows(other.db)).toEqual(before);
    expect(await undoRows(other.db)).toMatchObject({ import_changes: 0 });
    await other.drop();
  }
});

it('undoes a chunk or some thousand rows in each transaction, and counts them', async () => {
  const users = numbers(0, 12_000);
  await importInChunks(
    database.db,
    'it',
    users.map((n) => passwordLine(n, 0)),
    5000,
  );
  await importInChunks(
    database.db,
    'again',
    users.map((n) => passwordLine(n, 2)),
    5000,
  );
  const steps = async (importId: string, name: RollbackCount) => {
    const store = createImportStore(database.db, database.db);
    expect(await store.beginRollback(importId)).toBe(true);
    const sizes: number[] = [];
    for await (const _ of store.rollBack(importId, () => false))
      sizes.push((await countsOf(importId))[name] ?? 0);
    return sizes;
  };
  // First comes a look for states and factors. After the hashes follow a look for more changes, three chunks that
  // created nobody, and two more looks.
  expect(await steps('again', 'hashesRestored')).toEqual([0, 2000, 7000, ...Array(7).fill(12_000)]);
  expect(await steps('it', 'usersRemoved')).toEqual([0, 0, 5000, 10_000, 12_000, 12_000, 12_000]);
  expect((await userRows(database.db)).size).toBe(0);
});

class Killed extends Error {}

/** A database that breaks at one statement of all statements in transactions. */
class DyingDatabase extends Database {
  left = Number.POSITIVE_INFINITY;
  override transaction<T>(work: (client: Transaction) => Promise<T>): Promise<T> {
    return super.transaction((client) =>
      work({
        engine: this.engine,
        query: async (...args) => {
          this.left -= 1;
          if (this.left < 0) throw new Killed();
          return client.query(...args);
        },
        copy: (copies) => client.copy(copies),
      }),
    );
  }
}

it('continues after an interruption at any point, and reports the totals', async () => {
  const before = await importAllKinds(5);
  let deaths = 0;
  for (let left = 0; ; left += 1) {
    const db = new DyingDatabase({ uri: database.uri, size: 2, timeoutMs: 10_000, onIdleError: () => {} });
    db.engine = database.db.engine;
    db.left = left;
    const result = await rollBack(db, 'it').catch((error: unknown) => error);
    await db.close();
    if (!(result instanceof Killed)) {
      expect(result).toEqual({ outcome: 'rolled-back', rollback: ALL_KINDS });
      break;
    }
    deaths += 1;
    expect(await halves(database.db)).toEqual([]);
  }
  // Each statement of a step was the last one at least once.
  expect(deaths).toBeGreaterThan(12);
  expect(await userRows(database.db)).toEqual(before);
});

it('stops between two steps when its caller is gone', async () => {
  const before = await importAllKinds(5);
  const caller = new AbortController();
  const store = createImportStore(database.db, database.db);
  const watched = {
    ...store,
    async *rollBack(importId: string) {
      for await (const _ of store.rollBack(importId, () => false)) {
        if ((await countsOf(importId)).hashesRestored === 12) caller.abort(new Killed());
        yield;
      }
    },
  };
  await expect(
    rollBackImport({ imports: watched, pace: new BulkPace() }, 'it', caller.signal),
  ).rejects.toThrow(Killed);
  expect(await countsOf('it')).toMatchObject({ hashesRestored: 12, emailsRestored: 0, usersRemoved: 0 });
  expect(await rollBack(database.db, 'it')).toEqual({ outcome: 'rolled-back', rollback: ALL_KINDS });
  expect(await userRows(database.db)).toEqual(before);
});

it('a rollback can be requested several times at once, and each caller receives the totals', async () => {
  const before = await importAllKinds(2);
  const instances = await Promise.all(numbers(0, 4).map(() => connectedDatabase(database.uri)));
  const answers = await Promise.all(instances.map((db) => rollBack(db, 'it')));
  for (const db of instances) await db.close();
  expect(answers).toEqual(Array(4).fill({ outcome: 'rolled-back', rollback: ALL_KINDS }));
  expect(await userRows(database.db)).toEqual(before);
});

it('ends a running import, which writes nothing more and reports why', async () => {
  const service = await createTestApp({ database });
  const url = await service.app.listen({ port: 0, host: '127.0.0.1' });
  const stream = new ImportStream(url, '?importId=it');
  stream.write(ndjson(passwordLine(1, 0)));
  await expect.poll(() => stream.text).toContain('CREATED');
  expect(await rollBack(database.db, 'it')).toMatchObject({
    outcome: 'rolled-back',
    rollback: { usersRemoved: 1 },
  });
  stream.end(ndjson(passwordLine(2, 0)));
  const report = await stream.finished();
  expect(report.results).toHaveLength(1);
  expect(report.error).toMatchObject({ code: 'IMPORT_TAKEN_OVER' });
  expect((await userRows(database.db)).size).toBe(0);
  await service.app.close();
});
