import { expect, it } from 'vitest';
import { CITUS } from '../../../src/postgres/citus/citus.ts';
import { ONE_POSTGRES } from '../../../src/postgres/client/engine.ts';
import { createExportStore } from '../../../src/postgres/users/create-export-store.ts';
import { exportUsers } from '../../../src/users/export-users.ts';
import { useTestDatabase } from '../../support/database.ts';

it('refuses distributed tables before anything is recorded or read', async () => {
  const { db } = await useTestDatabase();
  db.engine = CITUS;
  const { signal } = new AbortController();
  await expect(
    exportUsers(createExportStore(db, db), { keyName: 'k', signal, maxMinutes: 1, vault: undefined }),
  ).rejects.toMatchObject({
    code: 'EXPORT_UNAVAILABLE',
  });
  db.engine = ONE_POSTGRES;
  expect(await db.query('select * from exports')).toEqual([]);
});

it('ends when it takes longer than it may, and the last line says so', async () => {
  const { db } = await useTestDatabase();
  const store = createExportStore(db, db);
  const { signal } = new AbortController();
  const slow = { ...store, obstacle: undefined, read: (ended: AbortSignal) => asLongAs(ended) };
  const { lines } = await exportUsers(slow, { keyName: 'k', signal, maxMinutes: 0, vault: undefined });
  await expect(lines.next()).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
  const rows = await db.query('select users, ended_at is not null as ended from exports');
  expect(rows).toEqual([{ users: null, ended: true }]);
});

/** Yields nothing until the signal ends it. */
async function* asLongAs(ended: AbortSignal): AsyncGenerator<Buffer, number> {
  await new Promise((resolve) => ended.addEventListener('abort', resolve));
  throw ended.reason;
}

it('ends the statement when its reader or its signal ends', async () => {
  const { db } = await useTestDatabase();
  const store = createExportStore(db, db);
  const aborted = AbortSignal.abort(new Error('too late'));
  await expect(store.read(aborted, () => '').next()).rejects.toThrow('too late');
  expect(await db.query('select 1 as one')).toEqual([{ one: 1 }]);
});
