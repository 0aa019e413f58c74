import { AppError } from '../../../lib/errors.ts';
import type { RecipeId } from '../../../users/user.ts';
import type { PageStart } from '../../../users/user-store.ts';
import type { Queryable } from '../../client/connection.ts';
import { LOGIN_TABLES } from '../../users/user-listing.ts';
import {
  PASSWORD_LOGINS,
  type PasswordLoginRow,
  THIRD_PARTY_LOGINS,
  type ThirdPartyLoginRow,
} from './gather-users.ts';

/*
 * Finds and counts the users who have a login of one kind. The logins of a user are on other nodes than the user, and
 * a statement that asks for them would bring the ids of all logins of the kind to one node.
 */

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

/** `logins` has only the logins of users who have a single login. */
export interface Walked {
  places: PageStart[];
  logins: (PasswordLoginRow | ThirdPartyLoginRow)[];
}

const LOGINS: Record<RecipeId, string> = { emailpassword: PASSWORD_LOGINS, thirdparty: THIRD_PARTY_LOGINS };

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
  const logins: (PasswordLoginRow | ThirdPartyLoginRow)[] = [];
  let from = start;
  let isNear = true;
  for (let step = most, walked = 0; walked < MAX_WALKED; step = nextStep(step, walked, found.length, most)) {
    const places = await placesFrom(from, step + 1);
    const here = places.slice(0, step);
    const rows = await db.query<PasswordLoginRow | ThirdPartyLoginRow>(
      `${LOGINS[recipe]} where user_id = any ($1::uuid[])`,
      [here.map(({ userId }) => userId)],
    );
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

/** A quarter more than are needed if users with a login of the recipe stay as frequent. */
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
