import type { RecipeId } from '../../users/user.ts';
import type { PageStart, UserFilter, UserListing } from '../../users/user-store.ts';
import type { Parameters } from './parameters.ts';

export const LOGIN_TABLES = { emailpassword: 'password_logins', thirdparty: 'third_party_logins' } as const;

const ALL = Object.keys(LOGIN_TABLES).length;

/** Returns undefined if the listing is not filtered by recipe. */
export function recipesThatCount({ recipeIds }: UserFilter): readonly RecipeId[] | undefined {
  const recipes = recipeIds && [...new Set(recipeIds)];
  return recipes?.length === ALL ? undefined : recipes;
}

/** Returns an SQL condition on the users `u`: whether they have a login in this table. */
export type HasLogin = (table: string) => string;

export function conditions(hasLogin: HasLogin, filter: UserFilter): string[] {
  const recipes = recipesThatCount(filter);
  if (recipes === undefined) return [];
  const any = recipes.map((recipe) => hasLogin(LOGIN_TABLES[recipe]));
  return [any.length === 0 ? 'false' : `(${any.join(' or ')})`];
}

export const where = (all: string[]) => (all.length === 0 ? '' : `where ${all.join(' and ')}`);

export function usersOf(
  hasLogin: HasLogin,
  { order, limit, ...filter }: UserListing,
  parameters: Parameters,
  range: readonly string[] = [],
): string {
  const filters = conditions(hasLogin, filter);
  return `select u.user_id, u.time_joined_ms from users u ${where([...filters, ...range])}
    order by u.time_joined_ms ${order}, u.user_id desc limit ${parameters.add(limit)}`;
}

/**
 * Returns the conditions for the users of a listing from one user on. Users who joined in the same
 * millisecond are sorted by descending id, in both orders. A page that starts among them needs two ranges,
 * because a single comparison of rows cannot express that.
 */
export const rangesFrom = (order: UserListing['order'], { timeJoinedMs, userId }: PageStart) => ({
  tied: (parameters: Parameters) => [
    `u.time_joined_ms = ${parameters.add(timeJoinedMs)}`,
    `u.user_id <= ${parameters.add(userId)}`,
  ],
  beyond: (parameters: Parameters) => [
    `u.time_joined_ms ${order === 'asc' ? '>' : '<'} ${parameters.add(timeJoinedMs)}`,
  ],
});
