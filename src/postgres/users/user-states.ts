import type { Queryable } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { resolveAndLock, resolveId } from './resolve-id.ts';

/**
 * `changed_at` shows a rollback that the user is no longer as imported. A call that changes nothing leaves
 * `changed_at` as it is. From then on, however, the state counts as set by a call of this service, which
 * imports with `update-unchanged` keep.
 */
const SET_DISABLED = `
  with clock as (select now() as now),
       p as (
         update password_logins login set disabled = $2, state_set_at = clock.now, state_by_call = true,
           changed_at = case when login.disabled = $2 then login.changed_at else clock.now end
         from clock where login.user_id = $1 returning login.user_id
       ), t as (
         update third_party_logins login set disabled = $2, state_set_at = clock.now, state_by_call = true,
           changed_at = case when login.disabled = $2 then login.changed_at else clock.now end
         from clock where login.user_id = $1 returning login.user_id
       )
  select user_id from p union select user_id from t`;

/**
 * Forgets a refusal by the SuperTokens core, so that the user is handed over again.
 * @returns `handed-over` if the core has the user, or may have it
 */
export async function setDisabled(
  db: Database,
  id: string,
  disabled: boolean,
): Promise<'set' | 'unknown-user' | 'handed-over'> {
  return db.transaction(async (client) => {
    // The lock also keeps a hand-over from sending the user to the core at the same time.
    const resolved = await resolveAndLock(client, id);
    if (resolved === undefined) return 'unknown-user';
    const { userId } = resolved;
    await client.query(`delete from handed_over_logins where user_id = $1 and state = 'refused'`, [userId]);
    const [handedOver] = await client.query('select from handed_over_logins where user_id = $1 limit 1', [
      userId,
    ]);
    if (handedOver !== undefined) return 'handed-over';
    const rows = await client.query(SET_DISABLED, [userId, disabled]);
    return rows.length > 0 ? 'set' : 'unknown-user';
  });
}

export async function findFactors(
  db: Queryable,
  id: string,
): Promise<{ userId: string; sealed: Buffer } | undefined> {
  const resolved = await resolveId(db, id);
  if (resolved === undefined) return undefined;
  const [row] = await db.query<{ factors: Buffer | null }>('select factors from users where user_id = $1', [
    resolved.userId,
  ]);
  return row?.factors ? { userId: resolved.userId, sealed: row.factors } : undefined;
}
