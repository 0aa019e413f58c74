import type { ThirdPartyIdentity, User } from '../users/user.ts';

/** A user as it is just after it was created with one password login. */
export function passwordUser(id: string, email: string, timeJoinedMs: number): User {
  return {
    id,
    timeJoinedMs,
    loginMethods: [{ recipeId: 'emailpassword', recipeUserId: id, email, verified: false, timeJoinedMs }],
  };
}

/** A user as it is just after it was created with one third-party login. */
export function thirdPartyUser(
  id: string,
  login: { identity: ThirdPartyIdentity; email: string; verified: boolean },
  timeJoinedMs: number,
): User {
  const { identity, email, verified } = login;
  return {
    id,
    timeJoinedMs,
    loginMethods: [
      { recipeId: 'thirdparty', recipeUserId: id, email, verified, timeJoinedMs, thirdParty: identity },
    ],
  };
}
