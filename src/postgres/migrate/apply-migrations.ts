import { assertCoordinator } from '../citus/recognise-engine.ts';
import type { Queryable } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { type Migration, runsOutside, statementsOf } from './migration.ts';
import {
  assertSameHistory,
  makeHistory,
  newestVersion,
  readHistory,
  readHistoryIfAny,
  recordMigration,
} from './migration-history.ts';
import { type LockOptions, withMigrationLock } from './migration-lock.ts';

/** Default time to wait for another instance: an hour, because one of its statements may take that long. */
const WAIT_MS = 60 * 60 * 1000;

/** Result of one turn at the lock: the applied migrations, and whether more are left. */
interface Step {
  applied: string[];
  isLast: boolean;
}

/**
 * Applies missing `migrations` in order. Consecutive files share one transaction. A file that must run outside a
 * transaction runs alone, and needs a second connection of `db`. If several instances start together, each file is
 * applied by one of them. Returns the names of the files that this instance applied.
 * @throws {Error} if an applied file was changed since, if the database is newer than this code, or on a worker of
 * Citus
 */
export async function applyMigrations(
  db: Database,
  migrations: readonly Migration[],
  { waitMs = WAIT_MS, ...options }: Partial<LockOptions> = {},
): Promise<string[]> {
  await assertCoordinator(db); // Citus
  const applied: string[] = [];
  for (;;) {
    const step = await withMigrationLock(db, { waitMs, ...options }, (client) =>
      takeStep(db, client, migrations),
    );
    applied.push(...step.applied);
    if (step.isLast) return applied;
  }
}

/** Checks that all migrations are applied. @throws {Error} with what to do, if the schema is older or newer than this code */
export async function assertMigrated(db: Queryable, migrations: readonly Migration[]): Promise<void> {
  const applied = await readHistoryIfAny(db);
  assertSameHistory(applied, migrations);
  if (applied.length < migrations.length) {
    throw new Error(
      `the database is at version ${applied.at(-1)?.version ?? 0}, this code needs ${newestVersion(migrations)}: run "user-import-core migrate"`,
    );
  }
}

/**
 * Applies all files that can run in the transaction of `client`, which holds the lock; or a single file outside of it.
 */
async function takeStep(db: Database, client: Queryable, migrations: readonly Migration[]): Promise<Step> {
  await makeHistory(client);
  const history = await readHistory(client);
  assertSameHistory(history, migrations);
  const pending = migrations.filter(({ version }) => history.every((row) => row.version !== version));

  const [first] = pending;
  const isOutside = first !== undefined && runsOutside(first);
  const firstOutside = pending.findIndex(runsOutside);
  const step = isOutside ? [first] : pending.slice(0, firstOutside === -1 ? undefined : firstOutside);
  for (const migration of step) {
    if (isOutside) await runOutside(db, client, migration);
    else await client.query(migration.sql);
    // A file that ran outside is recorded in the transaction that held the lock from its first statement to its last.
    await recordMigration(client, migration);
  }
  return { applied: step.map(({ name }) => name), isLast: step.length === pending.length };
}

/** Runs a migration on a connection of its own, while the transaction of `client` holds the lock. */
async function runOutside(db: Database, client: Queryable, migration: Migration): Promise<void> {
  const statements = statementsOf(migration);
  await client.query(CANCEL_LEFTOVERS, [statements]);
  // The server must not end the waiting transaction because it is idle. This statement comes last and has no values: a
  // statement with values leaves a portal open, with a snapshot for which an index built concurrently would wait.
  await client.query('set local idle_in_transaction_session_timeout = 0');
  // Does not use `db.query`, which repeats a statement that lost a race: the invalid index that a failed attempt leaves
  // behind would be in the way. Instead, the whole transaction is repeated.
  await db.connection(async (connection) => {
    for (const statement of statements) await connection.query(statement);
  });
}

/**
 * Cancels statements of killed instances. The server notices only at the end of a statement that its client is gone, and the
 * table stays locked until then. An instance that runs a migration's statement without the lock was killed or cut off.
 * `pg_stat_activity.query` is truncated to track_activity_query_size.
 */
const CANCEL_LEFTOVERS = `
  select pg_cancel_backend(pid) from pg_stat_activity
  where datname = current_database() and state = 'active' and query <> ''
    and exists (select from unnest($1::text[]) as statement where starts_with(statement, query))`;
