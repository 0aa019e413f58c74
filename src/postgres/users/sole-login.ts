import type { ThirdPartyIdentity, User } from '../../users/user.ts';

/** Login that is the only one of its user, and therefore describes the whole user. */
interface SoleLogin {
  id: string;
  recipeUserId?: string;
  email: string;
  verified: boolean;
  timeJoinedMs: number;
  disabled?: boolean;
}

export const passwordUser = (login: SoleLogin): User => thirdPartyUser(login, undefined);

/** The login method is written out twice, because spreading an object costs several percent of a single import. */
export function thirdPartyUser(
  { id, recipeUserId = id, email, verified, timeJoinedMs, disabled = false }: SoleLogin,
  thirdParty: ThirdPartyIdentity | undefined,
): User {
  return {
    id,
    ...(disabled && { isDisabled: true as const }),
    timeJoinedMs,
    loginMethods: [
      thirdParty === undefined
        ? { recipeId: 'emailpassword', recipeUserId, email, verified, timeJoinedMs }
        : { recipeId: 'thirdparty', recipeUserId, email, verified, timeJoinedMs, thirdParty },
    ],
  };
}
