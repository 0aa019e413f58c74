import type { Queryable } from '../client/connection.ts';
import type { UserRow } from './user-row.ts';

// Statements that read a user and all logins at once, which only one PostgreSQL can do.

const METHOD =
  'l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled';

const PARTS = [
  { column: 'password_methods', value: METHOD, table: 'password_logins' },
  {
    column: 'third_party_methods',
    value: `${METHOD}, l.third_party_id, l.third_party_user_id`,
    table: 'third_party_logins',
  },
  {
    column: 'external_ids',
    value: 'l.recipe_user_id, l.alias',
    table: 'user_aliases',
    condition: " and l.kind = 'external'",
  },
];

/** SQL for the columns with the data of user `u` from other tables. */
const PARTS_OF_USER = PARTS.map(
  ({ column, value, table, condition = '' }) =>
    `(select json_agg(json_build_array(${value})) from ${table} l where l.user_id = u.user_id${condition}) as ${column}`,
).join(', ');

/** SQL for a user as one value, or null, so that a statement can read a login and its user at one moment. */
export const wholeUser = (id: string) =>
  `(select row_to_json(whole) from (
        select u.user_id, u.time_joined_ms, ${PARTS_OF_USER} from users u where u.user_id = ${id}) whole)`;

/** @param page statement for the `user_id`, `time_joined_ms` and further columns of users */
export const readPage = <Row extends UserRow>(
  db: Queryable,
  page: string,
  values: readonly unknown[],
  order = '',
): Promise<Row[]> => db.query<Row>(`select u.*, ${PARTS_OF_USER} from (${page}) u ${order}`, values);

export const readUserRows = (db: Queryable, ids: readonly string[]): Promise<UserRow[]> =>
  readPage(db, 'select user_id, time_joined_ms from users where user_id = any ($1::uuid[])', [ids]);
