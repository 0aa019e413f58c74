import { isPostgresText } from '../../lib/text/postgres-text.ts';
import type { AccountInfo, UserFilter, UserListing, UserPage } from '../../users/user-store.ts';
import type { Queryable } from '../client/connection.ts';
import { toUser, USER_COLUMNS, type UserRow } from './user-rows.ts';

/** Numbers the parameters of a statement as they are added: `add(value)` returns `$n`. */
class Parameters {
  readonly values: unknown[] = [];
  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

const LOGIN_TABLES = { emailpassword: 'password_logins', thirdparty: 'third_party_logins' } as const;

function conditions(filter: UserFilter, parameters: Parameters): string[] {
  const all: string[] = [];
  if (filter.recipeIds !== undefined) {
    const any = filter.recipeIds.map(
      (recipe) => `exists (select from ${LOGIN_TABLES[recipe]} l where l.user_id = u.user_id)`,
    );
    all.push(any.length === 0 ? 'false' : `(${any.join(' or ')})`);
  }
  if (filter.emailPrefix !== undefined && !isPostgresText(filter.emailPrefix)) {
    all.push('false');
  } else if (filter.emailPrefix !== undefined) {
    const pattern = parameters.add(`${filter.emailPrefix.replace(/[\\%_]/g, '\\$&')}%`);
    const tables = Object.values(LOGIN_TABLES);
    const ids = tables.map((table) => `select user_id from ${table} where email like ${pattern}`);
    all.push(`u.user_id in (${ids.join(' union all ')})`);
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
async function readPage(
  db: Queryable,
  found: string,
  parameters: Parameters,
  { order, limit }: Pick<UserListing, 'order' | 'limit'>,
): Promise<UserPage> {
  // A user has an alias for each further login method and each external id. Counting aliases tells how large the page
  // gets before anything of it is gathered.
  const rows = await db.query<PageRow>(
    `select ${USER_COLUMNS}, u.next_user_id, u.next_time_joined_ms
     from (
       select user_id, time_joined_ms, row_number() over page as place,
         lead(user_id) over page as next_user_id, lead(time_joined_ms) over page as next_time_joined_ms,
         sum(1 + (select count(*) from user_aliases a where a.user_id = found.user_id)) over page as logins
       from (${found}) found
       window page as (order by time_joined_ms ${order}, user_id desc rows unbounded preceding)
     ) u
     where u.place = 1 or (u.place <= ${parameters.add(limit)} and u.logins <= ${MAX_LOGINS})
     order by u.time_joined_ms ${order}, u.user_id desc`,
    parameters.values,
  );
  const { next_user_id: userId = null, next_time_joined_ms: time = null } = rows.at(-1) ?? {};
  const next = userId === null ? undefined : { userId, timeJoinedMs: Number(time) };
  return { users: rows.map(toUser), next };
}

/**
 * Reads one page, from `start` on. Users of the same millisecond come by id, descending, in both orders. A page that
 * starts among such users is two index ranges, the rest of them and what lies beyond: no single row comparison says that.
 */
export async function listUsers(db: Queryable, listing: UserListing): Promise<UserPage> {
  const parameters = new Parameters();
  const filters = conditions(listing, parameters);
  // The one user more than the page holds is where the next page starts.
  const most = parameters.add(listing.limit + 1);
  const range = (extra: string[]) =>
    `(select u.user_id, u.time_joined_ms from users u ${where([...filters, ...extra])}
      order by u.time_joined_ms ${listing.order}, u.user_id desc limit ${most})`;

  let found = range([]);
  if (listing.start !== undefined) {
    const time = parameters.add(listing.start.timeJoinedMs);
    const id = parameters.add(listing.start.userId);
    const beyond = listing.order === 'asc' ? '>' : '<';
    found = `${range([`u.time_joined_ms = ${time}`, `u.user_id <= ${id}`])}
      union all ${range([`u.time_joined_ms ${beyond} ${time}`])}
      order by time_joined_ms ${listing.order}, user_id desc limit ${most}`;
  }
  return readPage(db, found, parameters, listing);
}

export async function countUsers(db: Queryable, filter: UserFilter): Promise<number> {
  const parameters = new Parameters();
  const [row] = await db.query<{ count: string }>(
    `select count(*) from users u ${where(conditions(filter, parameters))}`,
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
  return readPage(db, found, parameters, { order: 'asc', limit });
}
