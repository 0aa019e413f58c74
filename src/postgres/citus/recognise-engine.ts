import type { Queryable } from '../client/connection.ts';
import { type Engine, ONE_POSTGRES } from '../client/engine.ts';
import { CITUS } from './citus.ts';

/** Tables and their distribution columns. Equal values in tables of one list are on the same node. */
export const DISTRIBUTED: readonly (readonly [table: string, column: string][])[] = [
  [
    ['users', 'user_id'],
    ['replaced_states', 'user_id'],
    ['replaced_factors', 'user_id'],
  ],
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

/** Settings that are stored with the database, because a pooler does not pass on the settings of a session. */
export const CITUS_SETTINGS: Readonly<Record<string, string>> = {
  // `set local` must take effect on the nodes, too, because statements wait for locks there.
  'citus.propagate_set_commands': 'local',
  // A statement uses only one connection to each node, so that its commit prepares fewer transactions.
  'citus.multi_shard_modify_mode': 'sequential',
  // Statements that write to several shards must not lock the shards: two imports of different users would then
  // wait for each other.
  'citus.enable_deadlock_prevention': 'off',
};

export const TABLES = DISTRIBUTED.flat().map(([table]) => table);

/** Returns the service's tables that are distributed. Empty without Citus. */
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

/**
 * Throws on a worker, because migrations must run on the coordinator, which creates the tables on its workers.
 * @throws {Error}
 */
export async function assertCoordinator(db: Queryable): Promise<void> {
  const [catalogue] = await db.query<{ found: boolean }>(
    "select to_regclass('pg_catalog.pg_dist_local_group') is not null as found",
  );
  if (!catalogue?.found) return;
  const [worker] = await db.query<{ coordinator: string | null }>(
    `select (select nodename || ':' || nodeport from pg_dist_node where groupid = 0 limit 1) as coordinator
     from pg_dist_local_group where groupid <> 0`,
  );
  if (worker === undefined) return;
  throw new Error(
    `this database is on a worker of Citus: go to the coordinator${worker.coordinator === null ? '' : `, ${worker.coordinator}`}`,
  );
}

/**
 * Returns the engine that the database is.
 * @throws {Error} if only some tables are distributed, or if the session lacks the settings of Citus
 */
export async function recogniseEngine(db: Queryable): Promise<Engine> {
  const distributed = await distributedTables(db);
  if (distributed.length === 0) return ONE_POSTGRES;
  const missing = TABLES.filter((table) => !distributed.includes(table));
  if (missing.length > 0) {
    throw new Error(
      `some tables are distributed, and others are not (${missing.join(', ')}): run "user-import-core migrate --distribute"`,
    );
  }
  await assertSettings(db);
  return CITUS;
}

/**
 * Returns the settings of Citus that the session lacks. A restored dump may lack them, and a pooler's
 * connections may be older than them.
 */
export const missingSettings = (db: Queryable): Promise<{ name: string; value: string }[]> =>
  db.query(
    `select name, value from unnest($1::text[], $2::text[]) as t (name, value)
     where current_setting(name, true) is distinct from value`,
    [Object.keys(CITUS_SETTINGS), Object.values(CITUS_SETTINGS)],
  );

async function assertSettings(db: Queryable): Promise<void> {
  const [unlike] = await missingSettings(db);
  if (unlike === undefined) return;
  throw new Error(
    `tables are distributed, but ${unlike.name} is not ${unlike.value}: run "user-import-core migrate --distribute", and have PgBouncer reconnect (RECONNECT) where there is one`,
  );
}
