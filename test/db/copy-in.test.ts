import { expect, it } from 'vitest';
import { Database } from '../../src/db/database.ts';
import { createTestDatabase, useTestDatabase } from '../support/database.ts';
import { describeCopy } from './store-suite/describe-copy.ts';

describeCopy('COPY', async () => {
  const { db, drop } = await createTestDatabase();
  return { db, close: drop };
});

it('fails when its connection breaks while Postgres waits to go on', async () => {
  const { uri, db: admin } = await useTestDatabase();
  const db = new Database({ uri, size: 1, timeoutMs: 10_000, onIdleError: () => {} });
  await admin.query('create table notes (note text)');
  await admin.transaction(async (other) => {
    await other.query('lock table notes in exclusive mode');
    const failed = expect(
      db.connection((connection) =>
        connection.copy([{ statement: 'copy notes from stdin', rows: Buffer.from('a\n'), count: 1 }]),
      ),
    ).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    let terminated = 0;
    while (terminated === 0) {
      const rows = await admin.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where query like 'copy notes%'",
      );
      terminated = rows.length;
    }
    await failed;
  });
  expect(await db.query('select 1 as one')).toEqual([{ one: 1 }]);
  await db.close();
});

it('sends rows bit by bit where it is asked to, and stops where they are refused', async () => {
  const { db } = await useTestDatabase();
  await db.query('create table notes (note text primary key)');
  const rows = (from: number, count: number) =>
    Buffer.from(Array.from({ length: count }, (_, index) => `note ${from + index}\n`).join(''));
  let breaths = 0;
  const between = async () => {
    breaths += 1;
    await new Promise(setImmediate);
  };
  const statement = 'copy notes from stdin';
  await db.connection((connection) =>
    connection.copy([{ statement, rows: rows(0, 30_000), count: 30_000 }], between),
  );
  expect(await db.query('select count(*)::int as count from notes')).toEqual([{ count: 30_000 }]);
  expect(breaths).toBeGreaterThan(3);

  await db.connection(async (connection) => {
    const copies = [
      { statement, rows: rows(29_999, 30_000), count: 30_000 },
      { statement, rows: rows(100_000, 30_000), count: 30_000 },
    ];
    await expect(connection.copy(copies, between)).rejects.toMatchObject({ code: '23505' });
    // Nothing of the rest is taken for what comes next.
    expect(await connection.query('select count(*)::int as count from notes')).toEqual([{ count: 30_000 }]);
  });
});
