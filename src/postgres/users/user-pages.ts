import { isPostgresText } from '../../lib/text/characters.ts';
import type { RecipeId } from '../../users/user.ts';
import type {
  AccountInfo,
  UserFilter,
  UserListing,
  UserPage,
  UserSearch,
  UserStore,
} from '../../users/user-store.ts';
import type { Queryable } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { isThere, LOGIN_TABLES, readPage, toUser, type UserRow } from './user-row.ts';
import type { ExistingIdentity, NewSignIn } from './write-sign-ins.ts';

/*
 * Pages of users: listed, searched, and found by an address or identity. One PostgreSQL reads the users of a page
 * with all their logins by one statement. Citus (citus/users/user-pages.ts) uses the same statements to find users,
 * and reads their logins by others.
 */

/** Parameters of an SQL statement. `add(value)` returns the placeholder `$n` of the value. */
class SqlParameters {
  readonly values: unknown[] = [];
  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** Statement that selects `user_id` and `time_joined_ms` of users, in the order of their page. */
export interface UsersToRead {
  found: string;
  parameters: SqlParameters;
}

/**
 * Maximum number of login methods and external ids on a page of users. Exceeded only if the first user alone
 * has more. A user may have a hundred, and a page of five hundred such users would have 40 MB.
 */
export const MAX_LOGINS = 5000;

interface PageRow extends UserRow {
  next_user_id: string | null;
  next_time_joined_ms: string | null;
}

/**
 * Reads a page of users.
 * @param users selects one user more than `limit`, if there are more; undefined if the filter can match nobody
 */
export async function readFound(
  db: Queryable,
  users: UsersToRead | undefined,
  { order, limit }: Pick<UserListing, 'order' | 'limit'>,
): Promise<UserPage> {
  if (users === undefined) return { users: [], next: undefined };
  const { found, parameters } = users;
  // A user has an alias for each further login method and each external id, so the number of aliases shows
  // the size of the page before its users are read.
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

/** Returns the recipes by which the listing is filtered. Undefined if it is not filtered, or by all recipes. */
export function recipesThatCount({ recipeIds }: UserFilter): readonly RecipeId[] | undefined {
  const recipes = recipeIds && [...new Set(recipeIds)];
  return recipes?.length === Object.keys(LOGIN_TABLES).length ? undefined : recipes;
}

/** Returns an SQL condition on the users `u`: whether they have a login in this table. */
type HasLogin = (table: string) => string;

const hasLoginInTable: HasLogin = (table) => `exists (select from ${table} l where l.user_id = u.user_id)`;

function where(hasLogin: HasLogin, filter: UserFilter, range: readonly string[] = []): string {
  const recipes = recipesThatCount(filter);
  const any = recipes?.map((recipe) => hasLogin(LOGIN_TABLES[recipe]));
  const all = [...(any === undefined ? [] : [any.join(' or ') || 'false']), ...range];
  return all.length === 0 ? '' : `where ${all.join(' and ')}`;
}

/** @param range one of `rangesOf` */
export function usersOf(
  listing: UserListing,
  range: Range,
  parameters = new SqlParameters(),
  hasLogin = hasLoginInTable,
): UsersToRead {
  const { order, limit } = listing;
  const found = `select u.user_id, u.time_joined_ms from users u ${where(hasLogin, listing, range(parameters))}
    order by u.time_joined_ms ${order}, u.user_id desc limit ${parameters.add(limit)}`;
  return { found, parameters };
}

/** Returns conditions on the users `u`. */
type Range = (parameters: SqlParameters) => string[];

/**
 * Returns the ranges of users of a listing, in order. Users who joined in the same millisecond are sorted by
 * descending id, in both orders. A page that starts among them needs two ranges, because a single comparison of
 * rows cannot express that.
 */
export function rangesOf({ order, start }: UserListing): Range[] {
  if (start === undefined) return [() => []];
  const { timeJoinedMs, userId } = start;
  return [
    (parameters) => [
      `u.time_joined_ms = ${parameters.add(timeJoinedMs)}`,
      `u.user_id <= ${parameters.add(userId)}`,
    ],
    (parameters) => [`u.time_joined_ms ${order === 'asc' ? '>' : '<'} ${parameters.add(timeJoinedMs)}`],
  ];
}

export async function listUsers(db: Queryable, listing: UserListing): Promise<UserPage> {
  const { order, limit } = listing;
  // One user more than fits on the page is selected, because the next page starts with this user.
  const most = { ...listing, limit: limit + 1 };
  const parameters = new SqlParameters();
  const [first = '', second] = rangesOf(most).map((range) => usersOf(most, range, parameters).found);
  const found =
    second === undefined
      ? first
      : `(${first}) union all (${second}) order by time_joined_ms ${order}, user_id desc limit ${parameters.add(most.limit)}`;
  return readFound(db, { found, parameters }, listing);
}

export async function countUsers(db: Queryable, filter: UserFilter): Promise<number> {
  const [row] = await db.query<{ count: string }>(
    `select count(*) from users u ${where(hasLoginInTable, filter)}`,
  );
  return Number(row?.count);
}

/**
 * Selects the users whose `user_id` another statement selects. `offset 0` prevents another plan of PostgreSQL, which
 * would read all users from the oldest on until enough of them match.
 */
const usersIn = (ids: string, order: UserListing['order']) => `
    select user_id, time_joined_ms from (
      select u.user_id, u.time_joined_ms from users u where u.user_id in (${ids}) offset 0
    ) met
    order by time_joined_ms ${order}, user_id desc`;

/**
 * Selects the first `limit + 1` users. For each address, logins are read in the order of an index, up to one
 * more than fits on a page, so the cost does not depend on how many match. A rare provider without an address
 * costs a scan of the third-party logins. Returns undefined if PostgreSQL can store none of the addresses or
 * none of the providers.
 */
export function usersToFind({ emails = [''], providers, order, limit }: UserSearch): UsersToRead | undefined {
  const parameters = new SqlParameters();
  const startsWith = (column: string, text: string) =>
    `${column} like ${parameters.add(`${text.replace(/[\\%_]/g, '\\$&')}%`)}`;
  const isProvider = providers?.filter(isPostgresText).map((text) => startsWith('third_party_id', text));
  const sets = emails.filter(isPostgresText).flatMap((text) => {
    const isAddress = startsWith('email', text);
    const first = (table: string, condition: string) =>
      `(select user_id, email from ${table} where ${condition} order by email limit ${MAX_LOGINS + 1})`;
    if (isProvider === undefined) return Object.values(LOGIN_TABLES).map((table) => first(table, isAddress));
    if (isProvider.length === 0) return [];
    return first(LOGIN_TABLES.thirdparty, `${isAddress} and (${isProvider.join(' or ')})`);
  });
  if (sets.length === 0) return undefined;
  const ids = `
        select user_id from (${sets.join(' union all ')}) logins
        group by user_id order by min(email) limit ${parameters.add(limit + 1)}
      `;
  return { found: usersIn(ids, order), parameters };
}

/** Selects the first `limit + 1` users. Returns undefined if `info` is empty. */
export function usersWithAccountInfo(
  { email, thirdParty }: AccountInfo,
  match: 'all' | 'any',
  limit: number,
): UsersToRead | undefined {
  const parameters = new SqlParameters();
  const sets: string[] = [];
  if (email !== undefined) {
    const address = parameters.add(email);
    const having = Object.values(LOGIN_TABLES).map(
      (table) => `select user_id from ${table} where email = ${address}`,
    );
    sets.push(`(${having.join(' union ')})`);
  }
  if (thirdParty !== undefined) {
    const { id, userId } = thirdParty;
    sets.push(
      `(select user_id from third_party_logins
        where third_party_id = ${parameters.add(id)} and third_party_user_id = ${parameters.add(userId)})`,
    );
  }
  if (sets.length === 0) return undefined;
  const found = `${usersIn(sets.join(match === 'all' ? ' intersect ' : ' union '), 'asc')} limit ${parameters.add(limit + 1)}`;
  return { found, parameters };
}

type OnDatabase<Method extends (...args: never[]) => unknown> = (
  db: Queryable,
  ...args: Parameters<Method>
) => ReturnType<Method>;

/** Methods of the user store that differ between one PostgreSQL and Citus. All other statements suit both. */
export interface UserQueries {
  readonly sizeOfPasswordLogins: string;
  listUsers: OnDatabase<UserStore['listUsers']>;
  countUsers: OnDatabase<UserStore['countUsers']>;
  searchUsers: OnDatabase<UserStore['searchUsers']>;
  findUsersByAccountInfo: OnDatabase<UserStore['findUsersByAccountInfo']>;
  /** Unknown ids are left out. */
  readUserRows(db: Queryable, ids: readonly string[]): Promise<UserRow[]>;
  writeSignIns(db: Database, signIns: readonly NewSignIn[], now: number): Promise<ExistingIdentity[]>;
}
