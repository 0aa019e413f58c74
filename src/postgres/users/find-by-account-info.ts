import type { AccountInfo, UserPage } from '../../users/user-store.ts';
import type { Queryable } from '../client/connection.ts';
import { Parameters } from './parameters.ts';
import { readFound } from './read-found.ts';

export async function findUsersByAccountInfo(
  db: Queryable,
  info: AccountInfo,
  match: 'all' | 'any',
  limit: number,
): Promise<UserPage> {
  const statement = usersWithAccountInfo(info, match, limit);
  if (statement === undefined) return { users: [], next: undefined };
  return readFound(db, statement.found, statement.parameters, { order: 'asc', limit });
}

/** Selects the first `limit + 1` users. Returns undefined if `info` is empty. */
export function usersWithAccountInfo(
  info: AccountInfo,
  match: 'all' | 'any',
  limit: number,
): { found: string; parameters: Parameters } | undefined {
  const parameters = new Parameters();
  const sets: string[] = [];
  if (info.email !== undefined) {
    const email = parameters.add(info.email);
    sets.push(
      `(select user_id from password_logins where email = ${email}
        union select user_id from third_party_logins where email = ${email})`,
    );
  }
  if (info.thirdParty !== undefined) {
    const { id, userId } = info.thirdParty;
    sets.push(
      `(select user_id from third_party_logins
        where third_party_id = ${parameters.add(id)} and third_party_user_id = ${parameters.add(userId)})`,
    );
  }
  if (sets.length === 0) return undefined;
  // `offset 0` prevents another plan of PostgreSQL, which would read all users from the oldest on until
  // enough of them match.
  const found = `
    select user_id, time_joined_ms from (
      select u.user_id, u.time_joined_ms from users u
      where u.user_id in (${sets.join(match === 'all' ? ' intersect ' : ' union ')}) offset 0
    ) met
    order by time_joined_ms, user_id desc limit ${parameters.add(limit + 1)}`;
  return { found, parameters };
}
