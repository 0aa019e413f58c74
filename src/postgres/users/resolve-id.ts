import { isPostgresText } from '../../lib/text/postgres-text.ts';
import { isUuid } from '../../lib/text/uuid.ts';
import type { Queryable } from '../client/connection.ts';

export interface ResolvedId {
  userId: string;
  /** Id of the login method that the id names. For an id of a user, it is that id, even if no login method has it. */
  recipeUserId: string;
}

/**
 * Finds the user or login method that an id names: a user id, a recipe user id or an external id. The id may be any
 * text.
 */
export async function resolveId(db: Queryable, id: string): Promise<ResolvedId | undefined> {
  if (!isPostgresText(id)) return undefined;
  // Reads one table at a time (rule 1 of citus/citus.ts). Nearly all ids are ids of users.
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

/**
 * Locks the user's row, and then resolves the id again, because an earlier holder of the lock may have changed its
 * meaning.
 */
export async function resolveAndLock(client: Queryable, id: string): Promise<ResolvedId | undefined> {
  const resolved = await resolveId(client, id);
  if (resolved === undefined) return undefined;
  await lockUser(client, resolved.userId);
  return resolveId(client, id);
}

/**
 * Locks the user's row until the transaction ends. Changes of one user then happen one after the other, and a
 * statement that removes or counts its login methods sees all of them.
 */
async function lockUser(client: Queryable, userId: string): Promise<void> {
  await client.engine.lockChange(client, userId);
  await client.query('select 1 from users where user_id = $1 for update', [userId]);
}
