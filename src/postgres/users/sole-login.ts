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

export const passwordUser = (login: SoleLogin): User => soleUser(login, { recipeId: 'emailpassword' });

export const thirdPartyUser = (login: SoleLogin, thirdParty: ThirdPartyIdentity): User =>
  soleUser(login, { recipeId: 'thirdparty', thirdParty });

function soleUser(
  { id, recipeUserId = id, email, verified, timeJoinedMs, disabled = false }: SoleLogin,
  method: { recipeId: 'emailpassword' } | { recipeId: 'thirdparty'; thirdParty: ThirdPartyIdentity },
): User {
  return {
    id,
    ...(disabled && { isDisabled: true as const }),
    timeJoinedMs,
    loginMethods: [{ ...method, recipeUserId, email, verified, timeJoinedMs }],
  };
}
