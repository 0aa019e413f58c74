import type { InCore } from '../../imports/resolve/existing-logins.ts';
import type { Queryable } from '../client/connection.ts';

/**
 * Returns how these logins stand in the SuperTokens core, by login id. Logins that the core does not have are
 * left out. A transaction that has locked the logins reads what stays true until it ends: a hand-over locks
 * them, too, when it records that it sends them.
 */
export async function readInCore(
  db: Queryable,
  recipeUserIds: readonly string[],
): Promise<ReadonlyMap<string, InCore>> {
  if (recipeUserIds.length === 0) return new Map();
  const rows = await db.query<{ recipe_user_id: string; is_waiting: boolean }>(
    `select recipe_user_id, state = 'waiting' as is_waiting from handed_over_logins
     where recipe_user_id = any ($1::uuid[]) and state <> 'refused'`,
    [recipeUserIds],
  );
  return new Map(rows.map((row) => [row.recipe_user_id, row.is_waiting ? 'waiting' : 'settled']));
}

/** Returns which of these users the SuperTokens core has, or may have. See `readInCore` about locks. */
export async function readUsersInCore(
  db: Queryable,
  userIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (userIds.length === 0) return new Set();
  const rows = await db.query<{ user_id: string }>(
    `select distinct user_id from handed_over_logins where user_id = any ($1::uuid[]) and state <> 'refused'`,
    [userIds],
  );
  return new Set(rows.map((row) => row.user_id));
}
