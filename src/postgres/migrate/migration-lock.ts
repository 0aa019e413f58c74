import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../client/connection.ts';
import type { Database } from '../client/database.ts';

/** Any constant will do, as long as every instance uses it and nothing else in the database does. */
const LOCK = 7_301_567_001;

/** Between two tries to take the lock, in ms; up to twice that, so that instances that wait do not all try at once. */
const PAUSE_MS = 50;

/**
 * `create index concurrently` waits for every snapshot that is older than the index. At read committed none outlives its
 * statement, whatever the default of the database is.
 */
const BEGIN = 'begin isolation level read committed';

export interface LockOptions {
  /** Longest to wait for another instance, in ms. */
  waitMs: number;
  /** Called once where another instance has the lock. */
  onWait?(): void;
}

/**
 * Runs `work` in a transaction that holds the lock on migrations: of all instances one at a time. The lock ends with the
 * transaction, so that a transaction-mode pooler may sit between, and a killed instance leaves none behind.
 *
 * A waiting instance polls for the lock: nothing fails, so this is no `retry`, and it pauses longer than `until`. A statement that blocked on the lock would hold a snapshot, and an index that is
 * built concurrently would wait for that snapshot for ever (docs/adr/0016-migrations-outside-transactions.md).
 * @throws {Error} when another instance held the lock for `waitMs`
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
