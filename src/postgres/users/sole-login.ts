import type { ThirdPartyIdentity, User } from '../../users/user.ts';

/** Columns of a login that is the only one of its user, and therefore describes the whole user. */
interface SoleLogin {
  id: string;
  /** Id of the login method, if it differs from the user's id. */
  recipeUserId?: string;
  email: string;
  verified: boolean;
  timeJoinedMs: number;
  disabled?: boolean;
}

/** Returns the user of a password login, if the user has no other login and no external id. */
/** Written out twice, because spreading an object costs several percent of a single import. */
export function passwordUser({
  id,
  recipeUserId = id,
  email,
  verified,
  timeJoinedMs,
  disabled = false,
}: SoleLogin): User {
  return {
    id,
    ...(disabled && { isDisabled: true as const }),
    timeJoinedMs,
    loginMethods: [{ recipeId: 'emailpassword', recipeUserId, email, verified, timeJoinedMs }],
  };
}

/** Returns the user of a third-party login, if the user has no other login and no external id. */
export function thirdPartyUser(
  { id, recipeUserId = id, email, verified, timeJoinedMs, disabled = false }: SoleLogin,
  thirdParty: ThirdPartyIdentity,
): User {
  return {
    id,
    ...(disabled && { isDisabled: true as const }),
    timeJoinedMs,
    loginMethods: [{ recipeId: 'thirdparty', recipeUserId, email, verified, timeJoinedMs, thirdParty }],
  };
}
