import { AppError } from '../../lib/errors.ts';
import type { LoginMethod, User } from '../../users/user.ts';
import type { Queryable } from '../client/connection.ts';
import type { Engine } from '../client/engine.ts';

type Id = string;
type Ms = number;

/** All that is told of a user. */
export interface UserRow {
  user_id: Id;
  time_joined_ms: string | number;
  password_methods: [recipeUserId: Id, email: string, verified: boolean, joined: Ms][] | null;
  third_party_methods:
    | [Id, email: string, verified: boolean, joined: Ms, provider: string, subject: string][]
    | null;
  external_ids: [recipeUserId: Id, externalId: string][] | null;
}

/** What a user has in other tables than its own: as which values (of `UserRow`), and of which rows. */
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

/** Returns a statement for the rows of `page`, which have the columns of `users`, with all columns of a user. */
const USERS_OF: Record<Engine, (page: string) => string> = {
  postgres: (page) => `
    select u.*, ${PARTS.map(
      ({ column, value, table, condition }) =>
        `(select json_agg(${value}) from ${table} l where l.user_id = u.user_id and ${condition}) as ${column}`,
    ).join(', ')}
    from (${page}) u`,
  // The rows of a user are on several nodes, which cannot look at each other for every row. So each table is asked once.
  citus: (page) => `
    with page as materialized (${page}), ${PARTS.map(
      ({ column, value, table, condition }) =>
        `${column}_of as materialized (
           select l.user_id, json_agg(${value}) as ${column} from ${table} l
           where l.user_id = any (array(select user_id from page)) and ${condition} group by l.user_id)`,
    ).join(', ')}
    select * from page ${PARTS.map(({ column }) => `left join ${column}_of using (user_id)`).join(' ')}`,
};

/**
 * SQL for a whole user as one value, which `toUser` takes; null where there is none. For statements that have the id at
 * hand: what they say of a login and of its user is then of one snapshot. Under Citus there is none, and this is always null.
 */
export const wholeUser = (engine: Engine, id: string) =>
  engine === 'citus'
    ? 'null::json'
    : `(select row_to_json(whole) from (${USERS_OF.postgres(
        `select user_id, time_joined_ms from users where user_id = ${id}`,
      )}) whole)`;

/**
 * Reads the users of a page.
 * @param page a statement for their `user_id`, `time_joined_ms` and further columns
 */
export const readPage = <Row extends UserRow>(
  db: Queryable,
  page: string,
  values: readonly unknown[],
  order = '',
): Promise<Row[]> => db.query<Row>(`${USERS_OF[db.engine](page)} ${order}`, values);

export function toUser(row: UserRow): User {
  const externalIds = new Map(row.external_ids);
  const external = (id: Id) => {
    const externalId = externalIds.get(id);
    return externalId === undefined ? {} : { externalId };
  };
  const loginMethods: LoginMethod[] = [
    ...(row.password_methods ?? []).map(([recipeUserId, email, verified, timeJoinedMs]) => ({
      recipeId: 'emailpassword' as const,
      recipeUserId,
      ...external(recipeUserId),
      email,
      verified,
      timeJoinedMs,
    })),
    ...(row.third_party_methods ?? []).map(([recipeUserId, email, verified, timeJoinedMs, id, userId]) => ({
      recipeId: 'thirdparty' as const,
      recipeUserId,
      ...external(recipeUserId),
      email,
      verified,
      timeJoinedMs,
      thirdParty: { id, userId },
    })),
  ];
  loginMethods.sort((a, b) => a.timeJoinedMs - b.timeJoinedMs || (a.recipeUserId < b.recipeUserId ? -1 : 1));
  return {
    id: row.user_id,
    ...external(row.user_id),
    timeJoinedMs: Number(row.time_joined_ms),
    loginMethods,
  };
}

/** Several nodes may tell of a user a moment before its logins, or after them: it comes, or goes. */
export const isThere = ({ loginMethods }: User) => loginMethods.length > 0;

/** Returns the users with these ids, by id. Ids of nobody are left out. */
export async function readUsers(db: Queryable, ids: readonly Id[]): Promise<Map<Id, User>> {
  if (ids.length === 0) return new Map();
  const page = 'select user_id, time_joined_ms from users where user_id = any ($1::uuid[])';
  const rows = await readPage(db, page, [ids]);
  const users = rows.map(toUser).filter(isThere);
  return new Map(users.map((user) => [user.id, user]));
}

/**
 * As `readUsers`, for a call whose work is committed already: it must not fail any more. Returns undefined where the
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
