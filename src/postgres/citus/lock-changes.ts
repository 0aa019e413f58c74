import type { Sender } from '../client/engine.ts';

/*
 * Locks on the coordinator. A transaction commits on one node after the other, and each node releases its row locks
 * when it commits. A transaction that waited for such a lock may not see yet what was inserted on another node: the
 * login whose e-mail moved, for example. The locks of this file are released when all nodes have committed.
 */

/** Key of the lock on all users: shared by changes of a single user, exclusive for a change of many users. */
const ALL = '7130218849203751';

export async function lockChange(client: Sender, userId: string): Promise<void> {
  await client.query(
    'select pg_advisory_xact_lock_shared($1::bigint), pg_advisory_xact_lock(hashtextextended($2, 0))',
    [ALL, userId],
  );
}

/** Returns which of these users other transactions are changing. Does not wait for them. */
export async function readChanging(db: Sender, userIds: readonly string[]): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(
    'select id from unnest($1::text[]) id where not pg_try_advisory_xact_lock_shared(hashtextextended(id, 0))',
    [userIds],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Waits for all changes of single users, and keeps new ones waiting, until the transaction ends. */
export async function lockOutChanges(client: Sender): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1::bigint)', [ALL]);
}
