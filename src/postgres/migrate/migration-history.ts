import { createHash } from 'node:crypto';
import type { Queryable } from '../client/connection.ts';
import type { Migration } from './migration.ts';

export interface AppliedMigration {
  version: number;
  name: string;
  checksum: string;
}

/** Oldest first. */
export const readHistory = (client: Queryable): Promise<AppliedMigration[]> =>
  client.query('select version, name, checksum from schema_migrations order by version');

/** Returns none if the database was never migrated. */
export async function readHistoryIfAny(client: Queryable): Promise<AppliedMigration[]> {
  const [table] = await client.query<{ found: boolean }>(
    "select to_regclass('schema_migrations') is not null as found",
  );
  return table?.found ? readHistory(client) : [];
}

export async function makeHistory(client: Queryable): Promise<void> {
  await client.query(`create table if not exists schema_migrations (
    version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`);
}

export async function recordMigration(client: Queryable, { version, name, sql }: Migration): Promise<void> {
  await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
    version,
    name,
    checksum(sql),
  ]);
}

export const newestVersion = (migrations: readonly Migration[]) => migrations.at(-1)?.version ?? 0;

/** @throws {Error} if an applied file was changed since, or if the database is newer than this code */
export function assertSameHistory(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): void {
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
