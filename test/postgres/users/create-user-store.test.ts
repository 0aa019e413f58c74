import { expect, it } from 'vitest';
import { Database } from '../../../src/postgres/client/database.ts';
import { createUserStore } from '../../../src/postgres/users/create-user-store.ts';
import { createTestDatabase, useTestDatabase } from '../../support/database.ts';
import { labelledHash } from '../../support/labelled-hashes.ts';
import { describeUserStore } from '../store-suite/describe-user-store.ts';

/** A database that records each statement of the store. */
class WatchedDatabase extends Database {
  readonly statements: string[] = [];
  override query<Row extends Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<Row[]> {
    this.statements.push(text);
    return super.query<Row>(text, values);
  }
}

describeUserStore('the store', async () => {
  const { db, drop } = await createTestDatabase();
  return { db, close: drop };
});

it('writes imports that arrive together in one statement', async () => {
  const { uri, db: admin } = await useTestDatabase();
  const db = new WatchedDatabase({ uri, size: 4, timeoutMs: 10_000, onIdleError: () => {} });
  db.engine = admin.engine;
  const store = createUserStore(db);
  await Promise.all(
    Array.from({ length: 400 }, (_, index) =>
      store.importPasswordUser({ email: `user-${index}@b.c`, hash: labelledHash('x') }),
    ),
  );
  // On several nodes, COPY writes the imports.
  expect(db.statements).toHaveLength(db.engine.name === 'citus' ? 0 : 1);
  expect(await store.countUsers({})).toBe(400);
  await db.close();
});

it('fails all imports of a batch with STORAGE_UNAVAILABLE if its connection breaks, and writes none', async () => {
  const { uri, db: admin } = await useTestDatabase();
  const db = new Database({ uri, size: 4, timeoutMs: 10_000, onIdleError: () => {} });
  db.engine = admin.engine;
  const store = createUserStore(db);
  const outcomes = await admin.transaction(async (client) => {
    await client.query('lock table password_logins in exclusive mode');
    const calls = Array.from({ length: 50 }, (_, index) =>
      store.importPasswordUser({ email: `user-${index}@b.c`, hash: labelledHash('x') }),
    );
    const settled = Promise.allSettled(calls);
    let terminated: unknown[] = [];
    while (terminated.length === 0) {
      terminated = await client.query(
        `select pg_terminate_backend(pid) from pg_locks
         where not granted and relation = 'password_logins'::regclass
           and database = (select oid from pg_database where datname = current_database())`,
      );
    }
    return settled;
  });
  expect(outcomes).toEqual(
    Array(50).fill({ status: 'rejected', reason: expect.objectContaining({ code: 'STORAGE_UNAVAILABLE' }) }),
  );
  expect(await store.countUsers({})).toBe(0);
  expect(await store.importPasswordUser({ email: 'user-0@b.c', hash: labelledHash('x') })).toMatchObject({
    existed: false,
  });
  await db.close();
});
