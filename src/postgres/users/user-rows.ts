import { AppError } from '../../lib/errors.ts';
import type { User } from '../../users/user.ts';
import { gatherUsers, readJoined } from '../citus/users/gather-users.ts';
import type { Queryable } from '../client/connection.ts';
import type { Engine } from '../client/engine.ts';
import { isThere, toUser, type UserRow } from './user-row.ts';

type Id = string;

/** Parts of a user that are in other tables: the value of `UserRow` that each one fills, and the rows it is made of. */
const PARTS = [
  {
    column: 'password_methods',
    value: `json_build_array(
      l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms)`,
    table: 'password_logins',
    condition: 'true',
  },
  {
    column: 'third_party_methods',
    value: `json_build_array(
      l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms,
      l.third_party_id, l.third_party_user_id)`,
    table: 'third_party_logins',
    condition: 'true',
  },
  {
    column: 'external_ids',
    value: 'json_build_array(l.recipe_user_id, l.alias)',
    table: 'user_aliases',
    condition: "l.kind = 'external'",
  },
] as const;

/** All columns of a user that are in other tables, for a statement of one Postgres with users as `u`. */
const PARTS_OF_USER = PARTS.map(
  ({ column, value, table, condition }) =>
    `(select json_agg(${value}) from ${table} l where l.user_id = u.user_id and ${condition}) as ${column}`,
).join(', ');

/**
 * SQL for a whole user as one value, which `toUser` reads; null if the user does not exist. A statement that uses it reads a login and
 * its user in one snapshot. Citus has no snapshot over several nodes, so that the value is always null there.
 */
export const wholeUser = (engine: Engine, id: string) =>
  engine === 'citus'
    ? 'null::json'
    : `(select row_to_json(whole) from (
        select u.user_id, u.time_joined_ms, ${PARTS_OF_USER} from users u where u.user_id = ${id}) whole)`;

/**
 * Reads the users of a page, from one Postgres.
 * @param page a statement for their `user_id`, `time_joined_ms` and further columns
 */
export const readPage = <Row extends UserRow>(
  db: Queryable,
  page: string,
  values: readonly unknown[],
  order = '',
): Promise<Row[]> => db.query<Row>(`select u.*, ${PARTS_OF_USER} from (${page}) u ${order}`, values);

/** Returns the users with these ids, by id. Ids of nobody are left out. */
export async function readUsers(db: Queryable, ids: readonly Id[]): Promise<Map<Id, User>> {
  if (ids.length === 0) return new Map();
  const users = (await readRows(db, ids)).map(toUser).filter(isThere);
  return new Map(users.map((user) => [user.id, user]));
}

async function readRows(db: Queryable, ids: readonly Id[]): Promise<UserRow[]> {
  if (db.engine === 'citus') {
    const rows = await gatherUsers(db, await readJoined(db, ids));
    return [...(rows?.values() ?? [])];
  }
  const page = 'select user_id, time_joined_ms from users where user_id = any ($1::uuid[])';
  return readPage(db, page, [ids]);
}

/**
 * Does what `readUsers` does, for a call whose work is committed already and must not fail. Returns undefined if the
 * database cannot be reached.
 */
export async function readUsersIfPossible(
  db: Queryable,
  ids: readonly Id[],
): Promise<Map<Id, User> | undefined> {
  try {
    return await readUsers(db, ids);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
