import type { ThirdPartyIdentity, User } from '../../users/user.ts';

/** What of a login row says all there is of a user who has no other. */
interface SoleLogin {
  id: string;
  /** Its own, where the user has others that are not told. */
  recipeUserId?: string;
  email: string;
  verified: boolean;
  timeJoinedMs: number;
}

/** The user of a password login that is not `linked`. */
export function passwordUser({ id, recipeUserId = id, email, verified, timeJoinedMs }: SoleLogin): User {
  return {
    id,
    timeJoinedMs,
    loginMethods: [{ recipeId: 'emailpassword', recipeUserId, email, verified, timeJoinedMs }],
  };
}

/** The user of a third-party login that is not `linked`. */
export function thirdPartyUser(
  { id, recipeUserId = id, email, verified, timeJoinedMs }: SoleLogin,
  thirdParty: ThirdPartyIdentity,
): User {
  return {
    id,
    timeJoinedMs,
    loginMethods: [{ recipeId: 'thirdparty', recipeUserId, email, verified, timeJoinedMs, thirdParty }],
  };
}
