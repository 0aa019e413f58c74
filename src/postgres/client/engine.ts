import type { Queryable } from './connection.ts';

/** What keeps the rows: one Postgres, or several nodes of one, under Citus. All that differs is in this file and in `citus-error.ts`. */
export type Engine = 'postgres' | 'citus';

/** The tables that are distributed over the nodes, and by which column; those in one list have the rows of one value on one node. */
export const DISTRIBUTED: readonly (readonly [table: string, column: string][])[] = [
  [['users', 'user_id']],
  [
    ['password_logins', 'email'],
    ['replaced_hashes', 'email'],
  ],
  [
    ['third_party_logins', 'third_party_user_id'],
    ['replaced_emails', 'third_party_user_id'],
  ],
  [['user_aliases', 'alias']],
  [['hash_changes', 'id']],
];

const TABLES = DISTRIBUTED.flat().map(([table]) => table);

/** Which of our tables are distributed; none where there is no Citus. */
export async function distributedTables(db: Queryable): Promise<string[]> {
  const [catalogue] = await db.query<{ found: boolean }>(
    "select to_regclass('pg_catalog.pg_dist_partition') is not null as found",
  );
  if (!catalogue?.found) return [];
  const rows = await db.query<{ name: string }>(
    `select name from unnest($1::text[]) as t (name)
     where exists (select from pg_dist_partition where logicalrelid = to_regclass(name) and partmethod = 'h')`,
    [TABLES],
  );
  return rows.map(({ name }) => name);
}

/** @throws {Error} where some tables are distributed and others are not: it was broken off */
export async function recogniseEngine(db: Queryable): Promise<Engine> {
  const distributed = await distributedTables(db);
  if (distributed.length === 0) return 'postgres';
  const missing = TABLES.filter((table) => !distributed.includes(table));
  if (missing.length === 0) return 'citus';
  throw new Error(
    `some tables are distributed, and others are not (${missing.join(', ')}): run "npm run migrate -- --distribute"`,
  );
}

/**
 * What begins a transaction, one message each. Citus sends the whole text of a message that sets something on to the nodes.
 * @param begin statements with `; ` between them
 */
export const beginMessages = (engine: Engine, begin: string): string[] =>
  engine === 'citus' ? begin.split('; ') : [begin];
