import type { Queryable } from '../client/connection.ts';

/*
 * Locks on the coordinator, under Citus. A transaction commits on one node after the other, and each node lets go of the locks of its rows
 * as it does: who waited for one of them may not see yet what was inserted on another node, as a login is whose e-mail moves. These locks are
 * let go of when all nodes have committed. One Postgres does that with every lock.
 */

/** Key of the lock on all users. Changes of one user share it; a change of many users holds it alone. */
const ALL = '7130218849203751';

/** For the change of one user: changes of one come one after the other. Until the transaction ends. */
export async function lockChange(client: Queryable, userId: string): Promise<void> {
  if (client.engine !== 'citus') return;
  await client.query(
    'select pg_advisory_xact_lock_shared($1::bigint), pg_advisory_xact_lock(hashtextextended($2, 0))',
    [ALL, userId],
  );
}

/** Which of these users are being changed, under Citus. Waits for none of them. */
export async function readChanging(db: Queryable, userIds: readonly string[]): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(
    'select id from unnest($1::text[]) id where not pg_try_advisory_xact_lock_shared(hashtextextended(id, 0))',
    [userIds],
  );
  return new Set(rows.map(({ id }) => id));
}

/** For a change of many users: no change of one is under way, or begins. Until the transaction ends. */
export async function lockOutChanges(client: Queryable): Promise<void> {
  if (client.engine === 'citus') await client.query('select pg_advisory_xact_lock($1::bigint)', [ALL]);
}
