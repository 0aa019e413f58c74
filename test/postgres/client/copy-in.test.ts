import { expect, it } from 'vitest';
import { copyOf, copyText } from '../../../src/postgres/client/copy-in.ts';
import { Database } from '../../../src/postgres/client/database.ts';
import { createTestDatabase, useTestDatabase } from '../../support/database.ts';
import { describeCopy } from '../store-suite/describe-copy.ts';

describeCopy('COPY', async () => {
  const { db, drop } = await createTestDatabase();
  return { db, close: drop };
});

it('fails if its connection breaks while Postgres waits for data', async () => {
  const { uri, db: admin } = await useTestDatabase();
  const db = new Database({ uri, size: 1, timeoutMs: 10_000, onIdleError: () => {} });
  await admin.query('create table notes (note text)');
  await admin.transaction(async (other) => {
    await other.query('lock table notes in exclusive mode');
    const failed = expect(
      db.connection((connection) => connection.copy([copyOf('notes', ['note'], [copyText('a')])])),
    ).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    let terminated = 0;
    while (terminated === 0) {
      const rows = await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and query like 'copy notes%'`,
      );
      terminated = rows.length;
    }
    await failed;
  });
  expect(await db.query('select 1 as one')).toEqual([{ one: 1 }]);
  await db.close();
});
