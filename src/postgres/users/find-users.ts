import { isPostgresText } from '../../lib/text/postgres-text.ts';
import type { PageStart, UserFilter, UserListing, UserPage } from '../../users/user-store.ts';
import { gatherPage } from '../citus/users/gather-page.ts';
import {
  countOfRecipe,
  LOGIN_TABLES,
  recipesThatCount,
  type Walked,
  walkToRecipe,
} from '../citus/users/users-of-recipe.ts';
import type { Queryable } from '../client/connection.ts';
import type { Engine } from '../client/engine.ts';
import { Parameters } from './parameters.ts';
import { readFound, readPlaces } from './read-found.ts';

/** A statement for the ids of users with an address that starts so; their order is that of nothing. */
function idsByPrefix(prefix: string, parameters: Parameters): string {
  const startsSo = isPostgresText(prefix)
    ? `email like ${parameters.add(`${prefix.replace(/[\\%_]/g, '\\$&')}%`)}`
    : 'false';
  const tables = Object.values(LOGIN_TABLES);
  return tables.map((table) => `select user_id from ${table} where ${startsSo}`).join(' union all ');
}

/** Has a user such a login? Several nodes cannot look at each other for every user. */
const HAS_LOGIN: Record<Engine, (table: string) => string> = {
  postgres: (table) => `exists (select from ${table} l where l.user_id = u.user_id)`,
  citus: (table) => `u.user_id in (select user_id from ${table})`,
};

function conditions(engine: Engine, filter: UserFilter, parameters: Parameters): string[] {
  const all: string[] = [];
  const recipes = recipesThatCount(filter);
  if (recipes !== undefined) {
    const any = recipes.map((recipe) => HAS_LOGIN[engine](LOGIN_TABLES[recipe]));
    all.push(any.length === 0 ? 'false' : `(${any.join(' or ')})`);
  }
  if (filter.emailPrefix !== undefined)
    all.push(`u.user_id in (${idsByPrefix(filter.emailPrefix, parameters)})`);
  return all;
}

const where = (all: string[]) => (all.length === 0 ? '' : `where ${all.join(' and ')}`);

/** Returns a statement for `user_id` and `time_joined_ms` of the first `limit` users of a range. */
function usersOf(
  engine: Engine,
  { order, limit, ...filter }: UserListing,
  parameters: Parameters,
  range: readonly string[] = [],
): string {
  const filters = conditions(engine, filter, parameters);
  return `select u.user_id, u.time_joined_ms from users u ${where([...filters, ...range])}
    order by u.time_joined_ms ${order}, u.user_id desc limit ${parameters.add(limit)}`;
}

/**
 * Users of the same millisecond come by id, descending, in both orders. A page that starts among such users is two index ranges,
 * the rest of them and what lies beyond: no single row comparison says that.
 */
const rangesFrom = (order: UserListing['order'], { timeJoinedMs, userId }: PageStart) => ({
  tied: (parameters: Parameters) => [
    `u.time_joined_ms = ${parameters.add(timeJoinedMs)}`,
    `u.user_id <= ${parameters.add(userId)}`,
  ],
  beyond: (parameters: Parameters) => [
    `u.time_joined_ms ${order === 'asc' ? '>' : '<'} ${parameters.add(timeJoinedMs)}`,
  ],
});

/** Returns a statement for the first `limit` users from `start` on, for one Postgres. */
function usersFrom(listing: UserListing, parameters: Parameters): string {
  const { order, limit, start } = listing;
  if (start === undefined) return usersOf('postgres', listing, parameters);
  const { tied, beyond } = rangesFrom(order, start);
  return `(${usersOf('postgres', listing, parameters, tied(parameters))})
    union all (${usersOf('postgres', listing, parameters, beyond(parameters))})
    order by time_joined_ms ${order}, user_id desc limit ${parameters.add(limit)}`;
}

/** Reads one page, from `start` on. */
export async function listUsers(db: Queryable, listing: UserListing): Promise<UserPage> {
  // The one user more than the page holds is where the next page starts.
  const most = { ...listing, limit: listing.limit + 1 };
  if (db.engine === 'citus') {
    const { places, logins } = await placesOnNodes(db, most);
    return gatherPage(db, places, listing.limit, logins);
  }
  const parameters = new Parameters();
  return readFound(db, usersFrom(most, parameters), parameters, listing);
}

async function placesOnNodes(db: Queryable, listing: UserListing): Promise<Walked> {
  const [recipe] = recipesThatCount(listing) ?? [];
  if (recipe === undefined) return { places: await placesFrom(db, listing), logins: [] };
  const { order, emailPrefix, start } = listing;
  const all = { order, ...(emailPrefix !== undefined && { emailPrefix }) };
  const walked = await walkToRecipe(db, recipe, { start, most: listing.limit }, (from, limit) =>
    placesFrom(db, { ...all, limit, ...(from && { start: from }) }),
  );
  return walked ?? { places: await placesFrom(db, listing), logins: [] };
}

/** The first `limit` users from `start` on. Several nodes would bring both ranges of `usersFrom` together one by one. */
async function placesFrom(db: Queryable, listing: UserListing): Promise<PageStart[]> {
  const { start, limit } = listing;
  const read = (part: UserListing, range?: (parameters: Parameters) => string[]) => {
    const parameters = new Parameters();
    return readPlaces(db, usersOf(db.engine, part, parameters, range?.(parameters)), parameters);
  };
  if (start === undefined) return read(listing);
  const { tied, beyond } = rangesFrom(listing.order, start);
  const first = await read(listing, tied);
  if (first.length === limit) return first;
  return [...first, ...(await read({ ...listing, limit: limit - first.length }, beyond))];
}

export async function countUsers(db: Queryable, filter: UserFilter): Promise<number> {
  const parameters = new Parameters();
  const { emailPrefix } = filter;
  const [recipe] = recipesThatCount(filter) ?? [];
  if (db.engine === 'citus' && recipe !== undefined) {
    const among = emailPrefix === undefined ? undefined : idsByPrefix(emailPrefix, parameters);
    return countOfRecipe(db, recipe, among, parameters.values);
  }
  const [row] = await db.query<{ count: string }>(
    `select count(*) from users u ${where(conditions(db.engine, filter, parameters))}`,
    parameters.values,
  );
  return Number(row?.count);
}
