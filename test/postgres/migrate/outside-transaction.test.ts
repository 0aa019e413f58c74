import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Database } from '../../../src/postgres/client/database.ts';
import {
  applyMigrations,
  assertMigrated,
  statementsOf,
  withMigrationLock,
} from '../../../src/postgres/migrate/apply-migrations.ts';
import { type TestDatabase, useTestDatabase } from '../../support/database.ts';
import {
  holdUpIndexes,
  INDEX,
  indexState,
  MIGRATIONS,
  NAMES,
  TABLE,
  USES_INDEX,
} from './index-migrations.ts';

/** Another instance, with its own connections. */
function useInstance({ uri }: TestDatabase): Database {
  const db = new Database({ uri, size: 2, timeoutMs: 20_000, onIdleError: () => {} });
  onTestFinished(() => db.close());
  return db;
}

/** A database with the table, and an instance that is building the index. */
async function useHeldUpMigration() {
  const database = await useTestDatabase({ empty: true });
  const { db, uri } = database;
  await applyMigrations(db, [TABLE]);
  const release = await holdUpIndexes(uri);
  const migrated = applyMigrations(useInstance(database), MIGRATIONS);
  migrated.catch(() => {});
  await expect.poll(() => indexState(db)).toBe(false);
  return { database, db, release, migrated };
}

/** Locks of this database only. Other databases share the server. */
const HELD_HERE = `select from pg_locks where locktype = 'advisory'
  and database = (select oid from pg_database where datname = current_database())`;

/** Terminates sessions of the service in these states. */
const endSessions = (db: Database, states: readonly string[]) =>
  db.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()
       and application_name = 'user-import-core' and state = any ($1)`,
    [states],
  );

const recorded = async (db: Database) =>
  (await db.query<{ name: string }>('select name from schema_migrations order by version')).map(
    ({ name }) => name,
  );

it('a migration is split into statements at lines that end with a semicolon', () => {
  expect(statementsOf(INDEX)).toEqual([
    '-- no transaction\n-- Numbers are looked for.\ndrop index concurrently if exists numbers_n',
    'create unique index concurrently numbers_n on numbers (n)',
  ]);
  const sql = "-- no transaction\r\ndrop index a; \r\n\r\nupdate t set a = ';', b = 1\r\n";
  expect(statementsOf({ ...INDEX, sql })).toEqual([
    '-- no transaction\r\ndrop index a',
    "update t set a = ';', b = 1",
  ]);
});

it('runs after the migrations before it are committed, and before those after it', async () => {
  const database = await useTestDatabase({ empty: true });
  expect(await applyMigrations(useInstance(database), MIGRATIONS)).toEqual(NAMES);
  expect(await indexState(database.db)).toBe(true);
  expect(await recorded(database.db)).toEqual(NAMES);
  expect(await applyMigrations(database.db, MIGRATIONS)).toEqual([]);
  await assertMigrated(database.db, MIGRATIONS);
});

it('a migration may be the first and the last one', async () => {
  const { db } = await useTestDatabase({ empty: true });
  const only = { ...INDEX, sql: '-- no transaction\nvacuum;\n' };
  expect(await applyMigrations(db, [only])).toEqual([only.name]);
  expect(await applyMigrations(db, [only])).toEqual([]);
});

it('a migration is kept if a later migration fails', async () => {
  const { db } = await useTestDatabase({ empty: true });
  const broken = { ...USES_INDEX, sql: 'create table half (n integer); select 1 / 0' };
  await expect(applyMigrations(db, [TABLE, INDEX, broken])).rejects.toMatchObject({ code: '22012' });
  expect([await recorded(db), await indexState(db)]).toEqual([NAMES.slice(0, 2), true]);
  expect(await applyMigrations(db, MIGRATIONS)).toEqual(NAMES.slice(2));
});

it('a migration is refused if it was edited since', async () => {
  const { db } = await useTestDatabase({ empty: true });
  await applyMigrations(db, MIGRATIONS.slice(0, 2));
  await expect(applyMigrations(db, [TABLE, { ...INDEX, sql: `${INDEX.sql}\n` }])).rejects.toThrow(
    'migration 0002_index.sql was applied with other contents',
  );
});

it('a migration is not recorded if it fails, and starts again the next time', async () => {
  const { db } = await useTestDatabase({ empty: true });
  await applyMigrations(db, [TABLE]);
  await db.query('insert into numbers values (100)');
  await expect(applyMigrations(db, MIGRATIONS)).rejects.toMatchObject({ code: '23505' });
  expect([await recorded(db), await indexState(db)]).toEqual([NAMES.slice(0, 1), false]);
  await db.query('delete from numbers where n = 100');
  expect(await applyMigrations(db, MIGRATIONS)).toEqual(NAMES.slice(1));
  expect(await indexState(db)).toBe(true);
});

it('a migration is run by one of many instances, and does not wait for those that wait for it', async () => {
  const { database, db, release, migrated } = await useHeldUpMigration();
  const others = Array.from({ length: 8 }, () => applyMigrations(useInstance(database), MIGRATIONS));
  // Each instance has tried to take the lock by then.
  await sleep(300);
  expect([await recorded(db), await indexState(db)]).toEqual([NAMES.slice(0, 1), false]);
  await release();
  const applied = await Promise.all([migrated, ...others]);
  expect(applied.flat().sort()).toEqual(NAMES.slice(1));
  expect(applied[0]).toContain(INDEX.name);
  expect([await recorded(db), await indexState(db)]).toEqual([NAMES, true]);
});

it('a migration is repaired by the next start if it was interrupted', async () => {
  const { db, release, migrated } = await useHeldUpMigration();
  await endSessions(db, ['active', 'idle in transaction']);
  await expect(migrated).rejects.toThrow();
  await release();
  expect([await recorded(db), await indexState(db)]).toEqual([NAMES.slice(0, 1), false]);
  expect(await applyMigrations(db, MIGRATIONS)).toEqual(NAMES.slice(1));
  expect([await recorded(db), await indexState(db)]).toEqual([NAMES, true]);
});

it('a migration is taken over from an instance that lost the lock, whose statement is cancelled', async () => {
  const { database, db, release, migrated } = await useHeldUpMigration();
  await endSessions(db, ['idle in transaction']);
  const next = applyMigrations(useInstance(database), MIGRATIONS);
  await expect(migrated).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE', cause: { code: '57014' } });
  expect(await recorded(db)).toEqual(NAMES.slice(0, 1));
  await release();
  expect(await next).toEqual(NAMES.slice(1));
  expect([await recorded(db), await indexState(db)]).toEqual([NAMES, true]);
});

it('a migration is not recorded if the lock was lost meanwhile', async () => {
  const { db, release, migrated } = await useHeldUpMigration();
  await endSessions(db, ['idle in transaction']);
  await release();
  await expect(migrated).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
  expect([await recorded(db), await indexState(db)]).toEqual([NAMES.slice(0, 1), true]);
  expect(await applyMigrations(db, MIGRATIONS)).toEqual(NAMES.slice(1));
});

it('makes others wait for a limited time only', async () => {
  const database = await useTestDatabase({ empty: true });
  let finish: () => void = () => {};
  const held = withMigrationLock(database.db, () => new Promise<void>((resolve) => (finish = resolve)));
  await expect.poll(() => database.db.query(HELD_HERE)).toHaveLength(1);
  const onWait = vi.fn();
  await expect(applyMigrations(useInstance(database), MIGRATIONS, { waitMs: 100, onWait })).rejects.toThrow(
    'another instance has been migrating the database for 100 ms',
  );
  expect(onWait).toHaveBeenCalledTimes(1);
  finish();
  await held;
  expect(await applyMigrations(database.db, MIGRATIONS, { waitMs: 0 })).toEqual(NAMES);
});
