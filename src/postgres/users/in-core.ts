import type { InCore } from '../../imports/resolve/person.ts';
import type { Queryable } from '../client/connection.ts';

interface LoginOfUser {
  user_id: string;
  recipe_user_id: string;
}

/**
 * Returns how these logins stand in the SuperTokens core, by login id. If the core has a user, all logins of
 * the user count as in the core, also one that it refused, because metadata and state belong to the whole
 * user. A transaction that has locked the logins, or the rows of their users, reads what stays true until it
 * ends: a hand-over waits for both.
 */
export async function readInCore(
  db: Queryable,
  logins: readonly LoginOfUser[],
): Promise<ReadonlyMap<string, InCore>> {
  if (logins.length === 0) return new Map();
  const rows = await db.query<LoginOfUser & { is_waiting: boolean }>(
    `select user_id, recipe_user_id, state = 'waiting' as is_waiting from handed_over_logins
     where user_id = any ($1::uuid[]) and state <> 'refused'`,
    [logins.map((login) => login.user_id)],
  );
  if (rows.length === 0) return new Map();
  const users = new Set(rows.map((row) => row.user_id));
  const waiting = new Set(rows.filter((row) => row.is_waiting).map((row) => row.recipe_user_id));
  return new Map(
    logins
      .filter((login) => users.has(login.user_id))
      .map(({ recipe_user_id: id }) => [id, waiting.has(id) ? 'waiting' : 'settled']),
  );
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

/** @param logins `algorithm` is the reason of a login without a hash; reports of hand-overs count by it */
export async function recordWaitingHashes(
  db: Queryable,
  logins: readonly { recipeUserId: string; algorithm: string }[],
): Promise<void> {
  if (logins.length === 0) return;
  await db.query(
    `update handed_over_logins login set hash_algorithm = t.hash_algorithm
     from unnest($1::uuid[], $2::text[]) as t (recipe_user_id, hash_algorithm)
     where login.recipe_user_id = t.recipe_user_id and login.state = 'waiting'`,
    [logins.map((login) => login.recipeUserId), logins.map((login) => login.algorithm)],
  );
}
