import { isPostgresText } from '../../lib/text/postgres-text.ts';
import { isUuid } from '../../lib/text/uuid.ts';
import type { Queryable } from '../client/connection.ts';

export interface ResolvedId {
  userId: string;
  /** The login method the id names. For a user's own id it is that id, whether or not a login method carries it, too. */
  recipeUserId: string;
}

/** Finds whom an id names: a user id, a recipe user id or an external id. Any text may be asked for. */
export async function resolveId(db: Queryable, id: string): Promise<ResolvedId | undefined> {
  if (!isPostgresText(id)) return undefined;
  // One table at a time (rule 1 of citus/citus.ts). Nearly all ids are of users.
  if (isUuid(id)) {
    const [user] = await db.query<{ user_id: string }>('select user_id from users where user_id = $1', [id]);
    if (user !== undefined) return { userId: user.user_id, recipeUserId: user.user_id };
  }
  const [row] = await db.query<{ user_id: string; recipe_user_id: string }>(
    'select user_id, recipe_user_id from user_aliases where alias = $1',
    [id],
  );
  return row && { userId: row.user_id, recipeUserId: row.recipe_user_id };
}

/** Locks the user's row, and then resolves the id: whoever held the lock before may have changed what it names. */
export async function resolveAndLock(client: Queryable, id: string): Promise<ResolvedId | undefined> {
  const resolved = await resolveId(client, id);
  if (resolved === undefined) return undefined;
  await lockUser(client, resolved.userId);
  return resolveId(client, id);
}

/**
 * Locks the user's row until the transaction ends. Changes of one user then come one after the other, and a statement
 * that removes or counts its login methods sees all of them.
 */
async function lockUser(client: Queryable, userId: string): Promise<void> {
  await client.engine.lockChange(client, userId);
  await client.query('select 1 from users where user_id = $1 for update', [userId]);
}
