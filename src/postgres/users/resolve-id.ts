import { isPostgresText } from '../../lib/text/characters.ts';
import { isUuid } from '../../lib/text/uuid.ts';
import type { Queryable } from '../client/connection.ts';

export interface ResolvedId {
  userId: string;
  /** The given id, of a login method or of the user, even if no login method has that id. */
  recipeUserId: string;
}

/** The id may be a user id, a recipe user id, an external id or any text. */
export async function resolveId(db: Queryable, id: string): Promise<ResolvedId | undefined> {
  if (!isPostgresText(id)) return undefined;
  // Most ids are user ids, so the users are read first; one table at a time, as Citus needs it (rule 1 of
  // citus/citus.ts).
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

/** Resolves again, because the transaction that had the lock before may have changed what the id means. */
export async function resolveAndLock(client: Queryable, id: string): Promise<ResolvedId | undefined> {
  const resolved = await resolveId(client, id);
  if (resolved === undefined) return undefined;
  await lockUser(client, resolved.userId);
  return resolveId(client, id);
}

/** Changes of one user are made one after the other. A removal or count of logins then sees all of them. */
async function lockUser(client: Queryable, userId: string): Promise<void> {
  await client.engine.lockChange(client, userId);
  await client.query('select 1 from users where user_id = $1 for update', [userId]);
}
