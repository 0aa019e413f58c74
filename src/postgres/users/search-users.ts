import { isPostgresText } from '../../lib/text/characters.ts';
import type { UserPage, UserSearch } from '../../users/user-store.ts';
import type { Queryable } from '../client/connection.ts';
import { Parameters } from './parameters.ts';
import { MAX_LOGINS, readFound } from './read-found.ts';

export async function searchUsers(db: Queryable, search: UserSearch): Promise<UserPage> {
  const statement = usersToFind(search);
  if (statement === undefined) return { users: [], next: undefined };
  return readFound(db, statement.found, statement.parameters, search);
}

/**
 * Selects the first `limit + 1` users. For each address, the first logins are read in the order of an index, one
 * more than fits on a page: the cost does not depend on how many match. A rare provider without an address costs
 * a scan of the third-party logins. Returns undefined if PostgreSQL cannot store any of the texts, so that nobody
 * has one.
 */
export function usersToFind({
  emails = [''],
  providers,
  order,
  limit,
}: UserSearch): { found: string; parameters: Parameters } | undefined {
  const parameters = new Parameters();
  const startsWith = (column: string, text: string) =>
    `${column} like ${parameters.add(`${text.replace(/[\\%_]/g, '\\$&')}%`)}`;
  const isProvider = providers?.filter(isPostgresText).map((text) => startsWith('third_party_id', text));
  const sets = emails.filter(isPostgresText).flatMap((text) => {
    const isAddress = startsWith('email', text);
    const first = (table: string, condition: string) =>
      `(select user_id, email from ${table} where ${condition} order by email limit ${MAX_LOGINS + 1})`;
    if (isProvider === undefined)
      return [first('password_logins', isAddress), first('third_party_logins', isAddress)];
    if (isProvider.length === 0) return [];
    return first('third_party_logins', `${isAddress} and (${isProvider.join(' or ')})`);
  });
  if (sets.length === 0) return undefined;
  const most = parameters.add(limit + 1);
  // `offset 0` prevents another plan of PostgreSQL, which would read all users from the oldest on until
  // enough of them match.
  const found = `
    select user_id, time_joined_ms from (
      select u.user_id, u.time_joined_ms from users u where u.user_id in (
        select user_id from (${sets.join(' union all ')}) logins
        group by user_id order by min(email) limit ${most}
      ) offset 0
    ) met
    order by time_joined_ms ${order}, user_id desc`;
  return { found, parameters };
}
