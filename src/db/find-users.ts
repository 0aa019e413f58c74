import { isStorable } from '../storable.ts';
import type { AccountInfo, UserFilter, UserListing } from '../users/store.ts';
import type { User } from '../users/user.ts';
import type { Queryable } from './connection.ts';
import { toUser, USER_COLUMNS, type UserRow } from './user-rows.ts';

/** Numbers the parameters of a statement as they are added: `add(value)` answers `$n`. */
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
  if (filter.emailPrefix !== undefined && !isStorable(filter.emailPrefix)) {
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
 * One page, from `start` on. Ties of one millisecond are by id, descending, in both orders. A page that starts inside
 * a tie is two index ranges, the rest of the tie and what lies beyond it, as no single row comparison says that.
 */
export async function listUsers(db: Queryable, listing: UserListing): Promise<User[]> {
  const parameters = new Parameters();
  const filters = conditions(listing, parameters);
  const limit = parameters.add(listing.limit);
  const page = (extra: string[]) =>
    `(select u.user_id, u.time_joined_ms from users u ${where([...filters, ...extra])}
      order by u.time_joined_ms ${listing.order}, u.user_id desc limit ${limit})`;

  let ids = page([]);
  if (listing.start !== undefined) {
    const time = parameters.add(listing.start.timeJoinedMs);
    const id = parameters.add(listing.start.userId);
    const beyond = listing.order === 'asc' ? '>' : '<';
    ids = `${page([`u.time_joined_ms = ${time}`, `u.user_id <= ${id}`])}
      union all ${page([`u.time_joined_ms ${beyond} ${time}`])}`;
  }
  const rows = await db.query<UserRow>(
    `select ${USER_COLUMNS}
     from (select * from (${ids}) ids order by time_joined_ms ${listing.order}, user_id desc limit ${limit}) u
     order by u.time_joined_ms ${listing.order}, u.user_id desc`,
    parameters.values,
  );
  return rows.map(toUser);
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
): Promise<User[]> {
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
  if (sets.length === 0) return [];
  const rows = await db.query<UserRow>(
    `select ${USER_COLUMNS} from users u
     where u.user_id in (${sets.join(match === 'all' ? ' intersect ' : ' union ')})
     order by u.time_joined_ms, u.user_id desc`,
    parameters.values,
  );
  return rows.map(toUser);
}
