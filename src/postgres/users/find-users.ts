import type { UserFilter, UserListing, UserPage } from '../../users/user-store.ts';
import type { Queryable } from '../client/connection.ts';
import { Parameters } from './parameters.ts';
import { readFound } from './read-found.ts';
import { conditions, rangesFrom, usersOf, where } from './user-listing.ts';

const hasLogin = (table: string) => `exists (select from ${table} l where l.user_id = u.user_id)`;

function usersFrom(listing: UserListing, parameters: Parameters): string {
  const { order, limit, start } = listing;
  if (start === undefined) return usersOf(hasLogin, listing, parameters);
  const { tied, beyond } = rangesFrom(order, start);
  return `(${usersOf(hasLogin, listing, parameters, tied(parameters))})
    union all (${usersOf(hasLogin, listing, parameters, beyond(parameters))})
    order by time_joined_ms ${order}, user_id desc limit ${parameters.add(limit)}`;
}

export async function listUsers(db: Queryable, listing: UserListing): Promise<UserPage> {
  // The next page starts with the one user more than fits on the page.
  const most = { ...listing, limit: listing.limit + 1 };
  const parameters = new Parameters();
  return readFound(db, usersFrom(most, parameters), parameters, listing);
}

export async function countUsers(db: Queryable, filter: UserFilter): Promise<number> {
  const [row] = await db.query<{ count: string }>(
    `select count(*) from users u ${where(conditions(hasLogin, filter))}`,
  );
  return Number(row?.count);
}
