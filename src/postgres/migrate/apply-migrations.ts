import { retry } from '../../lib/async/retry.ts';
import { assertCoordinator } from '../citus/recognise-engine.ts';
import type { Queryable } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { isLostLock } from '../client/pg-error.ts';
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

/**
 * Maximum time in ms that a migration waits for the lock of a table: in the first attempt, and in later attempts.
 * Calls that use the table wait behind the migration. The first value is below Postgres's deadlock_timeout.
 */
const TABLE_WAIT_MS = 800;
const MAX_TABLE_WAIT_MS = 2000;

/** Minimum pause between two attempts, as a multiple of the wait. Calls that waited run in the pause. */
const PAUSE_FACTOR = 2;

/** Number of attempts to lock a table between two calls of `onBlocked`. */
const BLOCKED_ATTEMPTS = 20;

/** Another transaction that may keep a migration from locking a table. */
export interface Blocker {
  pid: number;
  application: string;
  state: string;
  /** Age of the other transaction, in seconds. */
  seconds: number;
}

interface ApplyOptions extends LockOptions {
  /** Called when a migration could not lock a table, after the first attempt and then from time to time. */
  onBlocked?(blockers: Blocker[]): void;
}

/** Result of one turn at the lock: the applied migrations, and whether more are left. */
interface Step {
  applied: string[];
  isLast: boolean;
}

/**
 * Applies missing `migrations` in order. Consecutive files share one transaction. A file that must run outside a
 * transaction runs alone, and needs a second connection of `db`. If several instances start together, each file is
 * applied by one of them. If another transaction holds a table, such as that of pg_dump, the migration gives way to calls
 * and tries again. Returns the names of the files that this instance applied.
 * @throws {Error} if an applied file was changed since, if the database is newer than this code, or on a worker of
 * Citus
 */
export async function applyMigrations(
  db: Database,
  migrations: readonly Migration[],
  { waitMs = WAIT_MS, onBlocked, ...options }: Partial<ApplyOptions> = {},
): Promise<string[]> {
  await assertCoordinator(db); // Citus
  const applied: string[] = [];
  const deadline = performance.now() + waitMs;
  for (;;) {
    const step = await retry(
      (attempt) =>
        withMigrationLock(db, { waitMs, ...options }, (client) =>
          takeStep(db, client, migrations, tableWaitMs(attempt)),
        ),
      async (error, attempt) => {
        if (!isLostLock(error) || performance.now() > deadline) return undefined;
        if (attempt % BLOCKED_ATTEMPTS === 1) onBlocked?.(await db.query<Blocker>(BLOCKERS, [TABLE_WAIT_MS]));
        return tableWaitMs(attempt) * PAUSE_FACTOR * (1 + Math.random());
      },
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

const tableWaitMs = (attempt: number) => Math.min(TABLE_WAIT_MS + 100 * (attempt - 1), MAX_TABLE_WAIT_MS);

/** Selects transactions older than the wait, oldest first. Does not select their statements, which may contain values. */
const BLOCKERS = `
  select pid, application_name as application, state, extract(epoch from now() - xact_start)::int as seconds
  from pg_stat_activity
  where datname = current_database() and xact_start < now() - $1 * interval '1 ms' and pid <> pg_backend_pid()
  order by xact_start limit 5`;

/**
 * Applies all files that can run in the transaction of `client`, which holds the lock; or a single file outside of it.
 * @param waitMs maximum time to wait for the lock of a table inside the transaction
 * @throws an error that `isLostLock` recognises, if that was too short; nothing was changed then
 */
async function takeStep(
  db: Database,
  client: Queryable,
  migrations: readonly Migration[],
  waitMs: number,
): Promise<Step> {
  await makeHistory(client);
  const history = await readHistory(client);
  assertSameHistory(history, migrations);
  const pending = migrations.filter(({ version }) => history.every((row) => row.version !== version));

  const [first] = pending;
  const isOutside = first !== undefined && runsOutside(first);
  const firstOutside = pending.findIndex(runsOutside);
  const step = isOutside ? [first] : pending.slice(0, firstOutside === -1 ? undefined : firstOutside);
  if (!isOutside) await client.query(`set local lock_timeout = ${waitMs}`);
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
