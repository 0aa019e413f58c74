import type { ThirdPartyIdentity, User } from '../../users/user.ts';

/** The columns of a login that say all there is of its user, where the user has no other login. */
interface SoleLogin {
  id: string;
  /** The login method's own id, where that is not the user's. */
  recipeUserId?: string;
  email: string;
  verified: boolean;
  timeJoinedMs: number;
  disabled?: boolean;
}

/** The user of a password login that is not `linked`. */
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

/** The user of a third-party login that is not `linked`. */
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
