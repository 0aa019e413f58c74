import type { UserPage, UserSearch } from '../../../users/user-store.ts';
import type { Queryable } from '../../client/connection.ts';
import { usersToFind } from '../../users/search-users.ts';
import { gatherPage, readPlaces } from './gather-page.ts';

export async function searchUsersOnNodes(db: Queryable, search: UserSearch): Promise<UserPage> {
  const statement = usersToFind(search);
  if (statement === undefined) return { users: [], next: undefined };
  return gatherPage(db, await readPlaces(db, statement.found, statement.parameters), search.limit);
}
