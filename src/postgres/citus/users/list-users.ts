import type { PageStart, UserFilter, UserListing, UserPage } from '../../../users/user-store.ts';
import type { Queryable } from '../../client/connection.ts';
import { countUsers } from '../../users/find-users.ts';
import { Parameters } from '../../users/parameters.ts';
import { rangesFrom, recipesThatCount, usersOf } from '../../users/user-listing.ts';
import { gatherPage, readPlaces } from './gather-page.ts';
import { countOfRecipe, type Walked, walkToRecipe } from './users-of-recipe.ts';

/** A subquery instead of `exists`, because a node of Citus cannot query the other nodes for each user. */
const hasLogin = (table: string) => `u.user_id in (select user_id from ${table})`;

export async function listUsersOnNodes(db: Queryable, listing: UserListing): Promise<UserPage> {
  // The next page starts with the one user more than fits on the page.
  const { places, logins } = await placesOf(db, { ...listing, limit: listing.limit + 1 });
  return gatherPage(db, places, listing.limit, logins);
}

async function placesOf(db: Queryable, listing: UserListing): Promise<Walked> {
  const [recipe] = recipesThatCount(listing) ?? [];
  if (recipe === undefined) return { places: await placesFrom(db, listing), logins: [] };
  const { order, start } = listing;
  const walked = await walkToRecipe(db, recipe, { start, most: listing.limit }, (from, limit) =>
    placesFrom(db, { order, limit, ...(from && { start: from }) }),
  );
  return walked ?? { places: await placesFrom(db, listing), logins: [] };
}

/** Two statements, because Citus would merge the two ranges of a single statement row by row. */
async function placesFrom(db: Queryable, listing: UserListing): Promise<PageStart[]> {
  const { start, limit } = listing;
  const read = (part: UserListing, range?: (parameters: Parameters) => string[]) => {
    const parameters = new Parameters();
    return readPlaces(db, usersOf(hasLogin, part, parameters, range?.(parameters)), parameters);
  };
  if (start === undefined) return read(listing);
  const { tied, beyond } = rangesFrom(listing.order, start);
  const first = await read(listing, tied);
  if (first.length === limit) return first;
  return [...first, ...(await read({ ...listing, limit: limit - first.length }, beyond))];
}

export async function countUsersOnNodes(db: Queryable, filter: UserFilter): Promise<number> {
  const [recipe] = recipesThatCount(filter) ?? [];
  return recipe === undefined ? countUsers(db, filter) : countOfRecipe(db, recipe);
}
