import type { LoginMethod, User } from '../../users/user.ts';

/** Tables of login methods, by recipe. */
export const LOGIN_TABLES = { emailpassword: 'password_logins', thirdparty: 'third_party_logins' } as const;

type Id = string;
type Ms = number;

/** Login as SQL statements return it. `linked`: its user may have other logins, or an external id. */
export interface LoginRow {
  user_id: Id;
  recipe_user_id: Id;
  email: string;
  verified: boolean;
  time_joined_ms: string;
  linked: boolean;
  disabled: boolean;
}

/** Login method of a `UserRow`. Only a third-party login has the last two. */
type MethodRow = [
  recipeUserId: Id,
  email: string,
  verified: boolean,
  joined: Ms,
  disabled: boolean,
  provider?: string,
  subject?: string,
];

/** User with all login methods, as SQL statements return it. */
export interface UserRow {
  user_id: Id;
  time_joined_ms: string | number;
  password_methods: MethodRow[] | null;
  third_party_methods: MethodRow[] | null;
  external_ids: [recipeUserId: Id, externalId: string][] | null;
}

export function toUser(row: UserRow): User {
  const externalIds = new Map(row.external_ids);
  const external = (id: Id) => {
    const externalId = externalIds.get(id);
    return externalId === undefined ? {} : { externalId };
  };
  const methods = [...(row.password_methods ?? []), ...(row.third_party_methods ?? [])];
  const loginMethods = methods.map(
    ([recipeUserId, email, verified, timeJoinedMs, _disabled, id, userId]): LoginMethod => {
      const method = { recipeUserId, ...external(recipeUserId), email, verified, timeJoinedMs };
      return id === undefined || userId === undefined
        ? { recipeId: 'emailpassword', ...method }
        : { recipeId: 'thirdparty', ...method, thirdParty: { id, userId } };
    },
  );
  loginMethods.sort((a, b) => a.timeJoinedMs - b.timeJoinedMs || (a.recipeUserId < b.recipeUserId ? -1 : 1));
  return {
    id: row.user_id,
    ...external(row.user_id),
    timeJoinedMs: Number(row.time_joined_ms),
    ...(methods.some(([, , , , disabled]) => disabled) && { isDisabled: true as const }),
    loginMethods,
  };
}

/** A user without logins is just being created or removed (rule 4 of citus/citus.ts). */
export const isThere = ({ loginMethods }: User) => loginMethods.length > 0;
