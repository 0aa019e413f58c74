import { createHash } from 'node:crypto';
import type { Database } from '../client/database.ts';
import type { Migration } from './migration.ts';

/** Any constant will do, as long as every instance uses it and nothing else in the database does. */
const LOCK = 7_301_567_001;

/** The newest version this code knows, and so the one it needs. */
export const newestVersion = (migrations: readonly Migration[]) => migrations.at(-1)?.version ?? 0;

/**
 * Brings the schema up to `migrations`, all of it in one transaction. Instances that start together queue on a lock
 * that ends with the transaction, so that a transaction-mode pooler may sit between. Answers what was applied.
 * @throws {Error} when an applied file was changed since, or the database is newer than this code
 */
export async function migrate(db: Database, migrations: readonly Migration[]): Promise<string[]> {
  return db.transaction(async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [LOCK]);
    await client.query(`create table if not exists schema_migrations (
      version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`);
    const applied = await client.query<AppliedRow>(
      'select version, name, checksum from schema_migrations order by version',
    );
    assertSameHistory(applied, migrations);

    const pending = migrations.filter(({ version }) => applied.every((row) => row.version !== version));
    for (const { version, name, sql } of pending) {
      await client.query(sql);
      await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
        version,
        name,
        checksum(sql),
      ]);
    }
    return pending.map(({ name }) => name);
  });
}

/** Is the schema the one this code was written for? @throws {Error} saying what to do, when it is not */
export async function assertMigrated(db: Database, migrations: readonly Migration[]): Promise<void> {
  const [table] = await db.query<{ found: boolean }>(
    "select to_regclass('schema_migrations') is not null as found",
  );
  const applied = table?.found
    ? await db.query<AppliedRow>('select version, name, checksum from schema_migrations order by version')
    : [];
  assertSameHistory(applied, migrations);
  if (applied.length < migrations.length) {
    throw new Error(
      `the database is at version ${applied.at(-1)?.version ?? 0}, this code needs ${newestVersion(migrations)}: run "npm run migrate"`,
    );
  }
}

interface AppliedRow {
  version: number;
  name: string;
  checksum: string;
}

function assertSameHistory(applied: readonly AppliedRow[], migrations: readonly Migration[]): void {
  const newest = newestVersion(migrations);
  for (const row of applied) {
    const known = migrations.find(({ version }) => version === row.version);
    if (row.version > newest) {
      throw new Error(
        `the database is newer than this code: it has migration ${row.name}, the newest known here is version ${newest}; deploy a newer release`,
      );
    }
    if (known === undefined || checksum(known.sql) !== row.checksum) {
      throw new Error(
        `migration ${row.name} was applied with other contents: released files are never edited`,
      );
    }
  }
}

const checksum = (sql: string) => createHash('sha256').update(sql).digest('hex');
