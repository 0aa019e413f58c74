/** A user of this service. Ids are lower-case UUIDs; times are milliseconds since the epoch. */
export interface User {
  id: string;
  /** Id of the user in a former system. If it is set, callers see it instead of `id`. */
  externalId?: string;
  /** The earliest time at which a login method joined. */
  timeJoinedMs: number;
  isDisabled?: true;
  /** Login methods in the order in which they were added; at least one. */
  loginMethods: LoginMethod[];
}

export type LoginMethod = PasswordMethod | ThirdPartyMethod;

interface MethodBase {
  /** Id of the login method. It equals the user's id if the user has only one method. */
  recipeUserId: string;
  externalId?: string;
  email: string;
  verified: boolean;
  timeJoinedMs: number;
}

export interface PasswordMethod extends MethodBase {
  recipeId: 'emailpassword';
}

export interface ThirdPartyMethod extends MethodBase {
  recipeId: 'thirdparty';
  thirdParty: ThirdPartyIdentity;
}

/** Account at a provider, such as `{ id: 'google', userId: '1087…' }`. Both ids are compared exactly. */
export interface ThirdPartyIdentity {
  id: string;
  userId: string;
}

export type RecipeId = LoginMethod['recipeId'];

/** Unique for each identity: the length distinguishes `a`+`bc` from `ab`+`c`. */
export function identityKey(identity: ThirdPartyIdentity): string {
  return `${identity.id.length}:${identity.id}${identity.userId}`;
}
