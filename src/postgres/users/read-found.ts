import type { UserListing, UserPage } from '../../users/user-store.ts';
import type { Queryable } from '../client/connection.ts';
import type { Parameters } from './parameters.ts';
import { isThere, toUser, type UserRow } from './user-row.ts';
import { readPage } from './whole-user.ts';

/**
 * Maximum number of login methods and external ids on a page of users. Exceeded only if the first user alone
 * has more. A user may have a hundred, and a page of five hundred such users would have 40 MB.
 */
export const MAX_LOGINS = 5000;

interface PageRow extends UserRow {
  next_user_id: string | null;
  next_time_joined_ms: string | null;
}

/** @param found statement that selects `user_id` and `time_joined_ms` of the first `limit + 1` users */
export async function readFound(
  db: Queryable,
  found: string,
  parameters: Parameters,
  { order, limit }: Pick<UserListing, 'order' | 'limit'>,
): Promise<UserPage> {
  // A user has an alias for each further login method and each external id, so the number of aliases shows
  // the size of the page before its users are read.
  const rows = await readPage<PageRow>(
    db,
    `with found as materialized (${found}), further as materialized (
       select user_id, count(*) as ids from user_aliases
       where user_id = any (array(select user_id from found)) group by user_id
     )
     select user_id, time_joined_ms, next_user_id, next_time_joined_ms
     from (
       select user_id, time_joined_ms, row_number() over page as place,
         lead(user_id) over page as next_user_id, lead(time_joined_ms) over page as next_time_joined_ms,
         sum(1 + coalesce(ids, 0)) over page as logins
       from found left join further using (user_id)
       window page as (order by time_joined_ms ${order}, user_id desc rows unbounded preceding)
     ) placed
     where place = 1 or (place <= ${parameters.add(limit)} and logins <= ${MAX_LOGINS})`,
    parameters.values,
    `order by time_joined_ms ${order}, user_id desc`,
  );
  const { next_user_id: userId = null, next_time_joined_ms: time = null } = rows.at(-1) ?? {};
  const next = userId === null ? undefined : { userId, timeJoinedMs: Number(time) };
  return { users: rows.map(toUser).filter(isThere), next };
}
