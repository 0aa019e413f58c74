import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { retry } from '../../lib/async/until.ts';
import { assertCoordinator } from '../citus/recognise-engine.ts';
import type { Queryable } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { isLostLock } from '../client/pg-error.ts';

/** One file of migrations/, such as 0001_users.sql. */
export interface Migration {
  version: number;
  name: string;
  sql: string;
}

/** Returns whether a migration must run outside a transaction. CONTRIBUTING.md has the rules for such migrations. */
const runsOutside = ({ sql }: Migration): boolean => /^-- no transaction\b/.test(sql);

/**
 * Returns the statements of a migration, which end with a semicolon at the end of a line. They are sent one by one,
 * because together they would form a transaction.
 */
export const statementsOf = ({ sql }: Migration): string[] =>
  sql
    .split(/;[ \t]*(?:\r?\n|$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');

const DIRECTORY = fileURLToPath(new URL('../../../migrations', import.meta.url));

/** Returns the migrations in the directory, oldest first. */
export function readMigrations(directory = DIRECTORY): Migration[] {
  const names = readdirSync(directory).filter((name) => /^\d{4}_\w+\.sql$/.test(name));
  return names.sort().map((name) => ({
    version: Number(name.slice(0, 4)),
    name,
    sql: readFileSync(join(directory, name), 'utf8'),
  }));
}

/** Maximum milliseconds to wait for another instance: an hour, because one of its statements may take that long. */
const WAIT_MS = 60 * 60 * 1000;

/**
 * Milliseconds to wait for the lock of a table, in the first attempt and at most. The first is below deadlock_timeout.
 */
const TABLE_WAIT_MS = 800;
const MAX_TABLE_WAIT_MS = 2000;

/** Minimum pause between attempts, as a multiple of an attempt's time, so that calls that had to wait can run. */
const PAUSE_FACTOR = 2;

/** Number of failed attempts to lock a table after which `onBlocked` is called again. */
const BLOCKED_ATTEMPTS = 20;

/** Another transaction that may keep a migration from locking a table, for the log. */
export interface Blocker {
  pid: number;
  application: string;
  state: string;
  /** Seconds since the transaction began. */
  seconds: number;
}

interface LockOptions {
  waitMs?: number | undefined;
  /** Called once if the migration must wait for another instance. */
  onWait?: (() => void) | undefined;
}

interface ApplyOptions extends LockOptions {
  onBlocked?(blockers: Blocker[]): void;
}

/**
 * Applies the missing `migrations` in order, each in a transaction of its own. A file that must run outside
 * of one needs a second connection of `db`. If another transaction (of pg_dump, for example)
 * has locked a table, the migration lets waiting calls run and tries again. Returns the names of the files
 * that this instance applied.
 * @throws {Error} if an applied file was changed since, if the database is newer than this code, or on a
 * worker of Citus
 */
export async function applyMigrations(
  db: Database,
  migrations: readonly Migration[],
  { waitMs = WAIT_MS, onBlocked, onWait }: ApplyOptions = {},
): Promise<string[]> {
  await assertCoordinator(db); // Citus
  const applied: string[] = [];
  const deadline = performance.now() + waitMs;
  for (;;) {
    const step = await retry(
      (attempt) =>
        withMigrationLock(db, (client) => takeStep(db, client, migrations, tableWaitMs(attempt)), {
          waitMs,
          onWait,
        }),
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

/**
 * Checks that the schema is that of this code.
 * @throws {Error} with what to do, if the schema is older or newer than this code
 */
export async function assertMigrated(db: Queryable, migrations: readonly Migration[]): Promise<void> {
  const [table] = await db.query<{ found: boolean }>(
    "select to_regclass('schema_migrations') is not null as found",
  );
  const applied = table?.found ? await readHistory(db) : [];
  assertSameHistory(applied, migrations);
  if (applied.length < migrations.length) {
    throw new Error(
      `the database is at version ${applied.at(-1)?.version ?? 0}, this code needs ${newestVersion(migrations)}: run "user-import-core migrate"`,
    );
  }
}

const tableWaitMs = (attempt: number) => Math.min(TABLE_WAIT_MS + 100 * (attempt - 1), MAX_TABLE_WAIT_MS);

/**
 * Selects transactions that may block a migration. Their statements are left out, because they may contain personal
 * data.
 */
const BLOCKERS = `
  select pid, application_name as application, state, extract(epoch from now() - xact_start)::int as seconds
  from pg_stat_activity
  where datname = current_database() and xact_start < now() - $1 * interval '1 ms' and pid <> pg_backend_pid()
  order by xact_start limit 5`;

/**
 * Applies the first missing file, in the transaction of `client`, which holds the migration lock, unless it must run
 * outside of it. Files have a transaction each, so that none keeps the locks of another.
 * @param waitMs maximum milliseconds to wait for the lock of a table inside the transaction
 * @throws an error that `isLostLock` recognises if a table could not be locked in time; nothing was changed
 * then
 */
async function takeStep(
  db: Database,
  client: Queryable,
  migrations: readonly Migration[],
  waitMs: number,
): Promise<{ applied: string[]; isLast: boolean }> {
  await client.query(`create table if not exists schema_migrations (
    version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`);
  const history = await readHistory(client);
  assertSameHistory(history, migrations);
  const pending = migrations.filter(({ version }) => history.every((row) => row.version !== version));

  const [next, ...others] = pending;
  if (next === undefined) return { applied: [], isLast: true };
  const isOutside = runsOutside(next);
  if (!isOutside) await client.query(`set local lock_timeout = ${waitMs}`);
  if (isOutside) await runOutside(db, client, next);
  else await client.query(next.sql);
  // A migration outside a transaction is recorded here, too, in the transaction that holds the migration lock.
  await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
    next.version,
    next.name,
    checksum(next.sql),
  ]);
  return { applied: [next.name], isLast: others.length === 0 };
}

async function runOutside(db: Database, client: Queryable, migration: Migration): Promise<void> {
  const statements = statementsOf(migration);
  await client.query(CANCEL_LEFTOVERS, [statements]);
  // PostgreSQL must not end the idle transaction with the lock. This statement comes last and has no values:
  // a statement with values leaves a portal open, with a snapshot for which an index built concurrently would
  // wait.
  await client.query('set local idle_in_transaction_session_timeout = 0');
  // `db.query` would repeat a statement that lost a race with another transaction: the invalid index that a
  // failed attempt leaves behind would be in the way. Instead, the whole step is repeated.
  await db.connection(async (connection) => {
    for (const statement of statements) await connection.query(statement);
  });
}

/**
 * Cancels statements of migrations whose instance was killed. PostgreSQL notices only at the end of a
 * statement that its client is gone, and the table stays locked until then. An instance that runs such a
 * statement without the migration lock must be gone. `pg_stat_activity.query` is truncated to
 * track_activity_query_size.
 */
const CANCEL_LEFTOVERS = `
  select pg_cancel_backend(pid) from pg_stat_activity
  where datname = current_database() and state = 'active' and query <> ''
    and exists (select from unnest($1::text[]) as statement where starts_with(statement, query))`;

interface AppliedMigration {
  version: number;
  name: string;
  checksum: string;
}

/** Oldest first. */
const readHistory = (client: Queryable): Promise<AppliedMigration[]> =>
  client.query('select version, name, checksum from schema_migrations order by version');

const newestVersion = (migrations: readonly Migration[]) => migrations.at(-1)?.version ?? 0;

/** @throws {Error} if an applied file was changed since, or if the database is newer than this code */
function assertSameHistory(applied: readonly AppliedMigration[], migrations: readonly Migration[]): void {
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

/** Key of the advisory lock on migrations: an arbitrary number that nothing else in the database uses. */
const LOCK = 7_301_567_001;

/**
 * Minimum milliseconds between two attempts to get the lock. The pause is random and up to twice as long, so that
 * waiting instances do not all try at once.
 */
const PAUSE_MS = 50;

/**
 * `create index concurrently` waits for every snapshot older than the index. At read committed, no snapshot
 * outlives its statement, whatever the default of the database is.
 */
const BEGIN = 'begin isolation level read committed';

/**
 * Runs `work` in a transaction that holds the lock on migrations. The lock ends with the transaction, so a
 * pooler in transaction mode may be in front of the database, and a killed instance leaves no lock behind. An
 * instance polls for the lock: a statement that waited for it would hold a snapshot, for which an index built
 * concurrently would wait for ever (docs/adr/0016-migrations-outside-transactions.md).
 * @throws {Error} if another instance held the lock for `waitMs`
 */
export async function withMigrationLock<T>(
  db: Database,
  work: (client: Queryable) => Promise<T>,
  { waitMs = WAIT_MS, onWait }: LockOptions = {},
): Promise<T> {
  const deadline = performance.now() + waitMs;
  for (let tries = 1; ; tries += 1) {
    const turn = await db.transaction(async (client) => {
      const [row] = await client.query<{ taken: boolean }>('select pg_try_advisory_xact_lock($1) as taken', [
        LOCK,
      ]);
      return row?.taken ? { result: await work(client) } : undefined;
    }, BEGIN);
    if (turn !== undefined) return turn.result;
    if (tries === 1) onWait?.();
    if (performance.now() > deadline) {
      throw new Error(`another instance has been migrating the database for ${waitMs} ms`);
    }
    await sleep(PAUSE_MS * (1 + Math.random()));
  }
}
