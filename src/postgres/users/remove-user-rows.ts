import { randomUUID } from 'node:crypto';
import type { Queryable } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { type ResolvedId, resolveAndLock } from './resolve-id.ts';

/** Does nothing if the id is unknown. */
export async function removeUser(db: Database, id: string, scope: 'user' | 'login-method'): Promise<void> {
  await db.transaction(async (client) => {
    const resolved = await resolveAndLock(client, id);
    if (resolved === undefined) return;
    if (scope === 'login-method' && (await removeLoginMethod(client, resolved))) return;
    await client.query(
      `with p as (delete from password_logins where user_id = $1),
            t as (delete from third_party_logins where user_id = $1),
            a as (delete from user_aliases where user_id = $1)
       delete from users where user_id = $1`,
      [resolved.userId],
    );
  });
}

/** Marks the other logins as changed, so that a rollback keeps the user, who is no longer as imported. */
const REMOVE_LOGIN_METHOD = `
  with p as (delete from password_logins where user_id = $1 and recipe_user_id = $2 returning user_id),
       t as (delete from third_party_logins where user_id = $1 and recipe_user_id = $2 returning user_id),
       removed as (table p union all table t),
       p_left as (
         update password_logins set changed_at = now()
         where user_id = $1 and recipe_user_id <> $2 and exists (table removed)
       ),
       t_left as (
         update third_party_logins set changed_at = now()
         where user_id = $1 and recipe_user_id <> $2 and exists (table removed)
       )
  delete from user_aliases where user_id = $1 and recipe_user_id = $2`;

/** Returns false if the login method was the last one: the caller must then remove the rest of the user. */
async function removeLoginMethod(client: Queryable, { userId, recipeUserId }: ResolvedId): Promise<boolean> {
  await client.query(REMOVE_LOGIN_METHOD, [userId, recipeUserId]);
  const left = await client.query<{ recipe_user_id: string }>(
    `select recipe_user_id from password_logins where user_id = $1
     union all select recipe_user_id from third_party_logins where user_id = $1`,
    [userId],
  );
  if (left.length === 0) return false;
  // The last remaining login method gets the id of the user, which applications know. The former id of the
  // method remains an alias.
  const [last, ...others] = left;
  if (last !== undefined && others.length === 0) {
    await exchangeRecords(client, userId, last.recipe_user_id);
    await client.query(
      `with external as (select 1 from user_aliases where user_id = $1 and kind = 'external'),
            p as (update password_logins set recipe_user_id = $1, linked = exists (table external) where user_id = $1),
            t as (update third_party_logins set recipe_user_id = $1, linked = exists (table external) where user_id = $1)
       update user_aliases set recipe_user_id = $1 where user_id = $1`,
      [userId],
    );
  }
  await client.query(
    `update users set time_joined_ms = (
       select min(time_joined_ms) from (
         select time_joined_ms from password_logins where user_id = $1
         union all select time_joined_ms from third_party_logins where user_id = $1) methods)
     where user_id = $1`,
    [userId],
  );
  return true;
}

/** The login with the second id gets the first. The removed login's record stays for the report. */
async function exchangeRecords(client: Queryable, removedId: string, lastId: string): Promise<void> {
  if (lastId === removedId) return;
  const rows = await client.query(
    'select from handed_over_logins where recipe_user_id = any ($1::uuid[]) limit 1',
    [[removedId, lastId]],
  );
  if (rows.length === 0) return;
  const between = randomUUID();
  await client.query('update handed_over_logins set hash_is_left = false where recipe_user_id = $1', [
    removedId,
  ]);
  for (const [from, to] of [
    [removedId, between],
    [lastId, removedId],
    [between, lastId],
  ])
    await client.query('update handed_over_logins set recipe_user_id = $2 where recipe_user_id = $1', [
      from,
      to,
    ]);
}
