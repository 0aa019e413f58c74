import { isPostgresText } from '../../lib/text/postgres-text.ts';
import type { AccountInfo, PageStart, UserFilter, UserListing, UserPage } from '../../users/user-store.ts';
import type { Queryable } from '../client/connection.ts';
import type { Engine } from '../client/engine.ts';
import { isThere, readPage, toUser, type UserRow } from './user-rows.ts';
import { areFew, countOfRecipe, LOGIN_TABLES, recipesThatCount, walkToRecipe } from './users-of-recipe.ts';

/** Numbers the parameters of a statement as they are added: `add(value)` returns `$n`. */
class Parameters {
  readonly values: unknown[] = [];
  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** A statement for the ids of users with an address that starts so; their order is that of nothing. */
function idsByPrefix(prefix: string, parameters: Parameters): string {
  const pattern = parameters.add(`${prefix.replace(/[\\%_]/g, '\\$&')}%`);
  const tables = Object.values(LOGIN_TABLES);
  return tables
    .map((table) => `select user_id from ${table} where email like ${pattern}`)
    .join(' union all ');
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
  if (filter.emailPrefix !== undefined) {
    const isText = isPostgresText(filter.emailPrefix);
    all.push(isText ? `u.user_id in (${idsByPrefix(filter.emailPrefix, parameters)})` : 'false');
  }
  return all;
}

const where = (all: string[]) => (all.length === 0 ? '' : `where ${all.join(' and ')}`);

/**
 * Most login methods and external ids on a page; more only where its first user alone has them. A user may have a hundred,
 * and a page of five hundred such users would be 40 MB.
 */
const MAX_LOGINS = 5000;

interface PageRow extends UserRow {
  next_user_id: string | null;
  next_time_joined_ms: string | null;
}

/**
 * Reads as many of the found users as a page may have, and where the next page starts.
 * @param found a statement for `user_id` and `time_joined_ms` of the first `limit + 1` that there are
 */
async function readFound(
  db: Queryable,
  found: string,
  parameters: Parameters,
  { order, limit }: Pick<UserListing, 'order' | 'limit'>,
): Promise<UserPage> {
  // A user has an alias for each further login method and each external id. Counting aliases tells how large the page
  // gets before anything of it is gathered.
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

/**
 * Returns a statement for `user_id` and `time_joined_ms` of the first `limit` users from `start` on. Users of the same millisecond
 * come by id, descending, in both orders. A page that starts among such users is two index ranges, the rest of them and what lies
 * beyond: no single row comparison says that.
 */
function usersFrom(engine: Engine, listing: UserListing, parameters: Parameters): string {
  const { order, start } = listing;
  const filters = conditions(engine, listing, parameters);
  const most = parameters.add(listing.limit);
  const range = (extra: string[]) =>
    `(select u.user_id, u.time_joined_ms from users u ${where([...filters, ...extra])}
      order by u.time_joined_ms ${order}, u.user_id desc limit ${most})`;
  if (start === undefined) return range([]);
  const time = parameters.add(start.timeJoinedMs);
  const id = parameters.add(start.userId);
  return `${range([`u.time_joined_ms = ${time}`, `u.user_id <= ${id}`])}
    union all ${range([`u.time_joined_ms ${order === 'asc' ? '>' : '<'} ${time}`])}
    order by time_joined_ms ${order}, user_id desc limit ${most}`;
}

/** Reads one page, from `start` on. */
export async function listUsers(db: Queryable, listing: UserListing): Promise<UserPage> {
  // The one user more than the page holds is where the next page starts.
  const most = listing.limit + 1;
  const [recipe] = recipesThatCount(listing) ?? [];
  const parameters = new Parameters();
  if (db.engine === 'postgres' || recipe === undefined || (await areFew(db, recipe))) {
    const found = usersFrom(db.engine, { ...listing, limit: most }, parameters);
    return readFound(db, found, parameters, listing);
  }
  const { order, emailPrefix, start } = listing;
  const places = await walkToRecipe(db, recipe, { start, most }, (from, limit) =>
    readPlaces(db, {
      order,
      limit,
      ...(emailPrefix !== undefined && { emailPrefix }),
      ...(from && { start: from }),
    }),
  );
  const ids = parameters.add(places.map(({ userId }) => userId));
  const times = parameters.add(places.map(({ timeJoinedMs }) => timeJoinedMs));
  const found = `select * from unnest(${ids}::uuid[], ${times}::bigint[]) as t (user_id, time_joined_ms)`;
  return readFound(db, found, parameters, listing);
}

async function readPlaces(db: Queryable, listing: UserListing): Promise<PageStart[]> {
  const parameters = new Parameters();
  const rows = await db.query<{ user_id: string; time_joined_ms: string }>(
    usersFrom(db.engine, listing, parameters),
    parameters.values,
  );
  return rows.map((row) => ({ userId: row.user_id, timeJoinedMs: Number(row.time_joined_ms) }));
}

export async function countUsers(db: Queryable, filter: UserFilter): Promise<number> {
  const parameters = new Parameters();
  const { emailPrefix } = filter;
  const [recipe] = recipesThatCount(filter) ?? [];
  if (emailPrefix !== undefined && !isPostgresText(emailPrefix)) return 0;
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

export async function findUsersByAccountInfo(
  db: Queryable,
  info: AccountInfo,
  match: 'all' | 'any',
  limit: number,
): Promise<UserPage> {
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
  if (sets.length === 0) return { users: [], next: undefined };
  // The users are found first, and then put in order. `offset 0` keeps Postgres from doing it the other way round: walking
  // all users from the oldest on until enough of them match.
  const found = `
    select user_id, time_joined_ms from (
      select u.user_id, u.time_joined_ms from users u
      where u.user_id in (${sets.join(match === 'all' ? ' intersect ' : ' union ')}) offset 0
    ) met
    order by time_joined_ms, user_id desc limit ${parameters.add(limit + 1)}`;
  return readFound(db, found, parameters, { order: 'asc', limit });
}
