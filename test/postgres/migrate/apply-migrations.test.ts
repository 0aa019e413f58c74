import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { Database } from '../../../src/postgres/client/database.ts';
import {
  applyMigrations,
  assertMigrated,
  type Blocker,
  type Migration,
  readMigrations,
} from '../../../src/postgres/migrate/apply-migrations.ts';
import { useTestDatabase } from '../../support/database.ts';

const SHIPPED = readMigrations();
const FIRST: Migration = { version: 1, name: '0001_first.sql', sql: 'create table first (n integer)' };
const SECOND: Migration = {
  version: 2,
  name: '0002_second.sql',
  sql: 'create table second (n integer); create index on second (n);',
};

async function clientOf(uri: string, application_name: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: uri, application_name });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

async function tablesOf(db: Database): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1",
  );
  return rows.map(({ name }) => name);
}

it('rolls back a migration that fails, completely', async () => {
  const { db } = await useTestDatabase({ empty: true });
  const broken = {
    ...SECOND,
    sql: 'create table half (n integer); select 1 / 0; create table other (n integer)',
  };
  await expect(applyMigrations(db, [FIRST, broken])).rejects.toMatchObject({ code: '22012' });
  expect(await tablesOf(db)).toEqual(['first', 'schema_migrations']);
  expect(await applyMigrations(db, [FIRST, SECOND])).toEqual([SECOND.name]);
});

it('keeps earlier migrations if a later one fails', async () => {
  const { db } = await useTestDatabase({ empty: true });
  await applyMigrations(db, [FIRST]);
  const broken = { ...SECOND, sql: 'create table second (n integer); insert into nowhere values (1)' };
  await expect(applyMigrations(db, [FIRST, broken])).rejects.toMatchObject({ code: '42P01' });
  expect(await tablesOf(db)).toEqual(['first', 'schema_migrations']);
});

it('refuses a database whose applied migration was edited since', async () => {
  const { db } = await useTestDatabase({ empty: true });
  await applyMigrations(db, [FIRST]);
  const edited = { ...FIRST, sql: `${FIRST.sql} ` };
  const message = 'migration 0001_first.sql was applied with other contents: released files are never edited';
  await expect(applyMigrations(db, [edited, SECOND])).rejects.toThrow(message);
  await expect(assertMigrated(db, [edited, SECOND])).rejects.toThrow(message);
  expect(await tablesOf(db)).toEqual(['first', 'schema_migrations']);
});

it('refuses a database that a newer release has migrated', async () => {
  const { db } = await useTestDatabase({ empty: true });
  await applyMigrations(db, [FIRST, SECOND]);
  const message =
    'the database is newer than this code: it has migration 0002_second.sql, the newest known here is version 1; deploy a newer release';
  await expect(applyMigrations(db, [FIRST])).rejects.toThrow(message);
  await expect(assertMigrated(db, [FIRST])).rejects.toThrow(message);
});

it('says what to do with a database that was never migrated, or not far enough', async () => {
  const { db } = await useTestDatabase({ empty: true });
  await expect(assertMigrated(db, [FIRST])).rejects.toThrow(
    'the database is at version 0, this code needs 1: run "user-import-core migrate"',
  );
  await applyMigrations(db, [FIRST]);
  await expect(assertMigrated(db, [FIRST, SECOND])).rejects.toThrow(
    'the database is at version 1, this code needs 2: run "user-import-core migrate"',
  );
  await applyMigrations(db, [FIRST, SECOND]);
  await assertMigrated(db, [FIRST, SECOND]);
});

it('applies every shipped migration to an empty database, each once', async () => {
  const { db } = await useTestDatabase({ empty: true });
  expect(await applyMigrations(db, SHIPPED)).toEqual(SHIPPED.map(({ name }) => name));
  expect(await tablesOf(db)).toEqual([
    'dry_run_logins',
    'dry_run_sessions',
    'exports',
    'former_changes',
    'hand_overs',
    'handed_over_logins',
    'hash_changes',
    'import_changes',
    'import_chunks',
    'import_failures',
    'import_user_ranges',
    'imports',
    'moved_logins',
    'password_logins',
    'removed_addresses',
    'replaced_emails',
    'replaced_factors',
    'replaced_hashes',
    'replaced_passwords',
    'replaced_rows',
    'replaced_states',
    'replaced_users',
    'schema_migrations',
    'staged_users',
    'third_party_logins',
    'user_aliases',
    'users',
  ]);
  const history = await db.query('select * from schema_migrations order by version');
  expect(history).toMatchObject(SHIPPED.map(({ version, name }) => ({ version, name })));
  expect(await applyMigrations(db, SHIPPED)).toEqual([]);
  expect(await db.query('select * from schema_migrations order by version')).toEqual(history);
});

it('gives way to calls while another transaction holds a table, and names the transaction', async () => {
  const { uri, db } = await useTestDatabase({ empty: true });
  await applyMigrations(db, [FIRST]);
  const reader = await clientOf(uri, 'pg_dump');
  await reader.query('begin; lock table first in access share mode');
  const changing = {
    ...SECOND,
    sql: 'create table second (n integer); alter table first add column m integer',
  };
  const blocked: Blocker[][] = [];
  let isApplied = false;
  const applied = applyMigrations(db, [FIRST, changing], { onBlocked: (found) => blocked.push(found) });
  void applied.then(() => {
    isApplied = true;
  });
  await expect.poll(() => blocked.length, { timeout: 20_000 }).toBe(1);
  // This would wait, too, behind an `alter table` that waits without end.
  await db.query('insert into first values (1)');
  const [{ pid }] = (await reader.query('select pg_backend_pid() as pid')).rows;
  expect(blocked[0]).toEqual([
    { pid, application: 'pg_dump', state: 'idle in transaction', seconds: expect.any(Number) },
  ]);
  expect([isApplied, await tablesOf(db)]).toEqual([false, ['first', 'schema_migrations']]);
  await reader.query('commit');
  expect(await applied).toEqual([SECOND.name]);
});

it('applies each migration once when 20 instances start at once', async () => {
  const { uri, db } = await useTestDatabase({ empty: true });
  const instances = Array.from(
    { length: 20 },
    () => new Database({ uri, size: 1, timeoutMs: 10_000, onIdleError: () => {} }),
  );
  const applied = await Promise.all(instances.map((instance) => applyMigrations(instance, [FIRST, SECOND])));
  await Promise.all(instances.map((instance) => instance.close()));
  // Another instance may apply the second one.
  expect(applied.flat().sort()).toEqual([FIRST.name, SECOND.name]);
  expect(await db.query('select name from schema_migrations order by applied_at')).toEqual([
    { name: FIRST.name },
    { name: SECOND.name },
  ]);
  expect(await tablesOf(db)).toEqual(['first', 'schema_migrations', 'second']);
});

it('keeps metadata and staged users of versions that stored them as JSON', async () => {
  const { db } = await useTestDatabase({ empty: true });
  await applyMigrations(db, SHIPPED.slice(0, 2));
  await db.query(
    `insert into users (user_id, time_joined_ms, metadata)
     values (gen_random_uuid(), 1, null), (gen_random_uuid(), 2, '{"b":[1.10,{"a":"ü"}]}')`,
  );
  await db.query(
    `insert into staged_users (id, user_form, hashes, form_bytes, created_at_ms, updated_at_ms)
     values (gen_random_uuid(), '{"userMetadata":{"n":1e30},"loginMethods":[]}', '[]', 7, 0, 0)`,
  );
  await applyMigrations(db, SHIPPED);
  expect(await db.query('select metadata from users order by time_joined_ms')).toEqual([
    { metadata: null },
    { metadata: '{"b": [1.10, {"a": "ü"}]}' },
  ]);
  const form = `{"loginMethods": [], "userMetadata": {"n": 1${'0'.repeat(30)}}}`;
  expect(await db.query('select user_form, form_bytes from staged_users')).toEqual([
    { user_form: form, form_bytes: form.length },
  ]);
});
