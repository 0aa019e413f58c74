import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../client/connection.ts';
import type { Database } from '../client/database.ts';

/** Key of the advisory lock on migrations: an arbitrary number that nothing else in the database uses. */
const LOCK = 7_301_567_001;

/** Random up to twice as long, so that waiting instances do not all try at once. */
const PAUSE_MS = 50;

/**
 * `create index concurrently` waits for every snapshot older than the index. At read committed, no snapshot
 * outlives its statement, whatever the default of the database is.
 */
const BEGIN = 'begin isolation level read committed';

export interface LockOptions {
  waitMs: number;
  /** Called once if the migration must wait for another instance. */
  onWait?(): void;
}

/**
 * Runs `work` in a transaction that holds the lock on migrations. The lock ends with the transaction, so a
 * pooler in transaction mode may be in front of the database, and a killed instance leaves no lock behind. An
 * instance polls for the lock: a statement that waited for it would hold a snapshot, for which an index built
 * concurrently would wait for ever (docs/adr/0016-migrations-outside-transactions.md).
 * @throws {Error} if another instance held the lock for `waitMs`
 */
export async function withMigrationLock<T>(
  db: Database,
  { waitMs, onWait }: LockOptions,
  work: (client: Queryable) => Promise<T>,
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
