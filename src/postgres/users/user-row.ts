import type { LoginMethod, User } from '../../users/user.ts';

type Id = string;
type Ms = number;

/** User with all login methods, as SQL statements return it. */
export interface UserRow {
  user_id: Id;
  time_joined_ms: string | number;
  password_methods:
    | [recipeUserId: Id, email: string, verified: boolean, joined: Ms, disabled: boolean][]
    | null;
  third_party_methods:
    | [
        Id,
        email: string,
        verified: boolean,
        joined: Ms,
        disabled: boolean,
        provider: string,
        subject: string,
      ][]
    | null;
  external_ids: [recipeUserId: Id, externalId: string][] | null;
}

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
    ...(row.third_party_methods ?? []).map(
      ([recipeUserId, email, verified, timeJoinedMs, _disabled, id, userId]) => ({
        recipeId: 'thirdparty' as const,
        recipeUserId,
        ...external(recipeUserId),
        email,
        verified,
        timeJoinedMs,
        thirdParty: { id, userId },
      }),
    ),
  ];
  loginMethods.sort((a, b) => a.timeJoinedMs - b.timeJoinedMs || (a.recipeUserId < b.recipeUserId ? -1 : 1));
  const methods = [...(row.password_methods ?? []), ...(row.third_party_methods ?? [])];
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
