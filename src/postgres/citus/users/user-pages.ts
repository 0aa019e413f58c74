import { AppError } from '../../../lib/errors.ts';
import type { RecipeId } from '../../../users/user.ts';
import type { AccountInfo, PageStart, UserFilter, UserListing, UserPage } from '../../../users/user-store.ts';
import type { Queryable } from '../../client/connection.ts';
import {
  countUsers,
  MAX_LOGINS,
  rangesOf,
  recipesThatCount,
  type UsersToRead,
  usersOf,
  usersWithAccountInfo,
} from '../../users/user-pages.ts';
import { isThere, LOGIN_TABLES, toUser } from '../../users/user-row.ts';
import { type GatheredLogin, gatherUsers, LOGINS, readJoined } from './gather-users.ts';

/*
 * Pages of users, as in users/user-pages.ts. The logins of a user are on other nodes than the user, so the users of a
 * page are found first, and then their logins are gathered.
 */

/**
 * Reads ids and times of users.
 * @param users selects users in the order of the page; undefined if the filter can match nobody
 */
async function readPlaces(db: Queryable, users: UsersToRead | undefined): Promise<PageStart[]> {
  if (users === undefined) return [];
  const rows = await db.query<{ user_id: string; time_joined_ms: string }>(
    users.found,
    users.parameters.values,
  );
  return rows.map((row) => ({ userId: row.user_id, timeJoinedMs: Number(row.time_joined_ms) }));
}

/** @param users as for `readFound` */
export const gatherFound = async (
  db: Queryable,
  users: UsersToRead | undefined,
  { limit }: Pick<UserListing, 'limit'>,
): Promise<UserPage> => gatherPage(db, await readPlaces(db, users), limit);

/**
 * Returns a page of users with their logins. The page ends at MAX_LOGINS logins, as on one PostgreSQL.
 * @param places users in the order of the page; one more than `limit` if there are more
 * @param known logins that were read already
 */
async function gatherPage(
  db: Queryable,
  places: readonly PageStart[],
  limit: number,
  known: readonly GatheredLogin[] = [],
): Promise<UserPage> {
  const wanted = places.slice(0, limit);
  const joined = new Map(wanted.map(({ userId, timeJoinedMs }) => [userId, timeJoinedMs]));
  const atMost = wanted.length > 1 ? MAX_LOGINS : undefined;
  const rows = await gatherUsers(db, joined, { atMost, known });
  // The next attempt always has fewer users, even if logins have changed since the rows were read.
  if (rows === undefined)
    return gatherPage(db, places, Math.min(await countFitting(db, wanted), wanted.length - 1), known);
  const users = wanted.flatMap(({ userId }) => rows.get(userId) ?? []).map(toUser);
  return { users: users.filter(isThere), next: places[wanted.length] };
}

/** Returns how many of these users fit on a page: as many as have MAX_LOGINS together, but at least one. */
async function countFitting(db: Queryable, users: readonly PageStart[]): Promise<number> {
  const rows = await db.query<{ user_id: string; ids: number }>(
    `select user_id, count(*)::int as ids from user_aliases
     where user_id = any ($1::uuid[]) group by user_id`,
    [users.map(({ userId }) => userId)],
  );
  const further = new Map(rows.map(({ user_id, ids }) => [user_id, ids]));
  let logins = 0;
  const excess = users.findIndex(({ userId }) => {
    logins += 1 + (further.get(userId) ?? 0);
    return logins > MAX_LOGINS;
  });
  return excess === -1 ? users.length : Math.max(excess, 1);
}

/**
 * Condition for users with a login in a table. It is not `exists`, because a node of Citus cannot query the other nodes
 * for each user.
 */
const hasLogin = (table: string) => `u.user_id in (select user_id from ${table})`;

export async function listUsersOnNodes(db: Queryable, listing: UserListing): Promise<UserPage> {
  // One user more than fits on the page is read, because the next page starts with this user.
  const most = { ...listing, limit: listing.limit + 1 };
  const [recipe] = recipesThatCount(most) ?? [];
  const walked =
    recipe &&
    (await walkToRecipe(db, recipe, { start: most.start, most: most.limit }, (start, limit) =>
      placesFrom(db, { order: most.order, limit, ...(start && { start }) }),
    ));
  const { places, logins } = walked ?? { places: await placesFrom(db, most), logins: [] };
  return gatherPage(db, places, listing.limit, logins);
}

/**
 * Reads users with a statement for each range, because Citus would merge the ranges of a single statement row by row.
 */
async function placesFrom(db: Queryable, listing: UserListing): Promise<PageStart[]> {
  const places: PageStart[] = [];
  for (const range of rangesOf(listing)) {
    const limit = listing.limit - places.length;
    if (limit > 0)
      places.push(...(await readPlaces(db, usersOf({ ...listing, limit }, range, undefined, hasLogin))));
  }
  return places;
}

export async function countUsersOnNodes(db: Queryable, filter: UserFilter): Promise<number> {
  const [recipe] = recipesThatCount(filter) ?? [];
  return recipe === undefined ? countUsers(db, filter) : countOfRecipe(db, recipe);
}

/** Searches the logins first, because for most users nothing else needs to be read. */
export async function findUsersByAccountInfoOnNodes(
  db: Queryable,
  info: AccountInfo,
  match: 'all' | 'any',
  limit: number,
): Promise<UserPage> {
  const logins = await findLogins(db, info, match);
  if (logins === undefined) return gatherFound(db, usersWithAccountInfo(info, match, limit), { limit });
  const joined = await readJoined(db, [...new Set(logins.map(({ user_id }) => user_id))]);
  const places = [...joined].map(([userId, time]) => ({ userId, timeJoinedMs: Number(time) }));
  places.sort((a, b) => a.timeJoinedMs - b.timeJoinedMs || (a.userId < b.userId ? 1 : -1));
  return gatherPage(db, places.slice(0, limit + 1), limit, logins);
}

/** Returns undefined if there are too many logins. */
async function findLogins(
  db: Queryable,
  { email, thirdParty }: AccountInfo,
  match: 'all' | 'any',
): Promise<GatheredLogin[] | undefined> {
  const sets: GatheredLogin[][] = [];
  if (email !== undefined) {
    const having = `where email = $1 limit ${MAX_LOGINS + 1}`;
    const others = await db.query<GatheredLogin>(`${LOGINS.thirdparty} ${having}`, [email]);
    if (others.length > MAX_LOGINS) return undefined;
    sets.push([...(await db.query<GatheredLogin>(`${LOGINS.emailpassword} ${having}`, [email])), ...others]);
  }
  if (thirdParty !== undefined) {
    const statement = `${LOGINS.thirdparty} where third_party_user_id = $1 and third_party_id = $2`;
    sets.push(await db.query<GatheredLogin>(statement, [thirdParty.userId, thirdParty.id]));
  }
  const users = sets.map((logins) => new Set(logins.map(({ user_id }) => user_id)));
  const logins = sets.flat();
  return match === 'any' ? logins : logins.filter((login) => users.every((ids) => ids.has(login.user_id)));
}

/** Number of logins up to which sorting all their users is faster than searching the listing for them. */
const FEW = 20_000;

async function areFew(db: Queryable, recipe: RecipeId): Promise<boolean> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::int as count from (select 1 from ${LOGIN_TABLES[recipe]} limit ${FEW + 1}) some_of_them`,
  );
  return (row?.count ?? 0) <= FEW;
}

/** Maximum numbers of users to read in one step, and in all steps of a call together. */
const MAX_STEP = 20_000;
const MAX_WALKED = 5_000_000;

/** Number of users that can be read in about the time that counting the logins of the recipe takes. */
const NEAR = 5000;

/** Users found on a walk through the listing. `logins` has only the logins of users who have a single login. */
interface Walked {
  places: PageStart[];
  logins: GatheredLogin[];
}

/**
 * Reads users in the order of the listing, and returns the first `most` who have a login of this recipe.
 * Returns undefined if the recipe has so few logins that reading the logins first is faster.
 * @param placesFrom returns the next users of the listing in order, at most `limit`
 * @throws {AppError} OVERLOADED if MAX_WALKED users were read without finding `most`
 */
export async function walkToRecipe(
  db: Queryable,
  recipe: RecipeId,
  { start, most }: { start: PageStart | undefined; most: number },
  placesFrom: (start: PageStart | undefined, limit: number) => Promise<PageStart[]>,
): Promise<Walked | undefined> {
  const found: PageStart[] = [];
  const logins: GatheredLogin[] = [];
  let from = start;
  let isNear = true;
  for (let step = most, walked = 0; walked < MAX_WALKED; step = nextStep(step, walked, found.length, most)) {
    const places = await placesFrom(from, step + 1);
    const here = places.slice(0, step);
    const rows = await db.query<GatheredLogin>(`${LOGINS[recipe]} where user_id = any ($1::uuid[])`, [
      here.map(({ userId }) => userId),
    ]);
    const having = new Set(rows.map(({ user_id }) => user_id));
    const wanted = here.filter(({ userId }) => having.has(userId)).slice(0, most - found.length);
    const ids = new Set(wanted.map(({ userId }) => userId));
    found.push(...wanted);
    logins.push(...rows.filter(({ user_id: id, linked }) => !linked && ids.has(id)));
    from = places[step];
    if (found.length === most || from === undefined) return { places: found, logins };
    walked += step;
    if (isNear && walked > NEAR) {
      if (await areFew(db, recipe)) return undefined;
      isNear = false;
    }
  }
  throw new AppError(
    'OVERLOADED',
    'Service is overloaded: users of this kind are too far apart to be listed',
  );
}

/**
 * Returns the size of the next step: a quarter more users than are needed if users with a login of the recipe stay as
 * frequent.
 */
function nextStep(step: number, walked: number, found: number, most: number): number {
  const needed = found === 0 ? 4 * step : Math.ceil((1.25 * (most - found) * walked) / found);
  return Math.min(Math.max(needed, most), 8 * step, MAX_STEP);
}

export async function countOfRecipe(db: Queryable, recipe: RecipeId): Promise<number> {
  const table = LOGIN_TABLES[recipe];
  const [row] = await db.query<{ count: string }>(
    `with own as materialized (select count(*) as users from ${table} where recipe_user_id = user_id),
     others as materialized (select distinct user_id from ${table} where recipe_user_id <> user_id),
     met as materialized (
       select count(*) as users from ${table}
       where recipe_user_id = user_id and user_id = any (array(select user_id from others))
     )
     select own.users + (select count(*) from others) - met.users as count from own, met`,
  );
  return Number(row?.count);
}
