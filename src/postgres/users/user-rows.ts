import { AppError } from '../../lib/errors.ts';
import type { LoginMethod, User } from '../../users/user.ts';
import type { Queryable } from '../client/connection.ts';

type Id = string;
type Ms = number;

/** A row with the USER_COLUMNS. */
export interface UserRow {
  user_id: Id;
  time_joined_ms: string | number;
  password_methods: [recipeUserId: Id, email: string, verified: boolean, joined: Ms][] | null;
  third_party_methods:
    | [Id, email: string, verified: boolean, joined: Ms, provider: string, subject: string][]
    | null;
  external_ids: [recipeUserId: Id, externalId: string][] | null;
}

/** All columns of a user, for a statement with `users u` in its from clause. */
export const USER_COLUMNS = `
  u.user_id, u.time_joined_ms,
  (select json_agg(json_build_array(
      p.recipe_user_id, p.email, coalesce(p.email = any (p.verified_emails), false), p.time_joined_ms))
    from password_logins p where p.user_id = u.user_id) as password_methods,
  (select json_agg(json_build_array(
      t.recipe_user_id, t.email, coalesce(t.email = any (t.verified_emails), false), t.time_joined_ms,
      t.third_party_id, t.third_party_user_id))
    from third_party_logins t where t.user_id = u.user_id) as third_party_methods,
  (select json_agg(json_build_array(a.recipe_user_id, a.alias))
    from user_aliases a where a.user_id = u.user_id and a.kind = 'external') as external_ids`;

/**
 * SQL for a whole user as one value, which `toUser` takes; null where there is none. For statements that have the id at
 * hand: what they say of a login and of its user is then of one snapshot.
 */
export const wholeUser = (id: string) =>
  `(select row_to_json(whole) from (select ${USER_COLUMNS} from users u where u.user_id = ${id}) whole)`;

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

/** Returns the users with these ids, by id. Ids of nobody are left out. */
export async function readUsers(db: Queryable, ids: readonly Id[]): Promise<Map<Id, User>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query<UserRow>(
    `select ${USER_COLUMNS} from users u where u.user_id = any ($1::uuid[])`,
    [ids],
  );
  return new Map(rows.map((row) => [row.user_id, toUser(row)]));
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
