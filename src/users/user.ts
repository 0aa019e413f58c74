/** A user as the domain knows it. Ids are lower-case UUID text; times are ms since the epoch. */
export interface User {
  id: string;
  /** Id in the former system. If a user has one, callers see it instead of `id`. */
  externalId?: string;
  /** The earliest of its login methods. */
  timeJoinedMs: number;
  /** In the order in which they were joined; never empty. */
  loginMethods: LoginMethod[];
}

export type LoginMethod = PasswordMethod | ThirdPartyMethod;

interface MethodBase {
  /** The id of this login method; the user's own id where it has just one. */
  recipeUserId: string;
  externalId?: string;
  email: string;
  /** Was this address ever marked verified for this login method? */
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

/** A person at a provider, e.g. `{ id: 'google', userId: '1087…' }`. Both are compared exactly. */
export interface ThirdPartyIdentity {
  id: string;
  userId: string;
}

export type RecipeId = LoginMethod['recipeId'];

/** Returns one text for one identity. The length keeps `a`+`bc` and `ab`+`c` apart. */
export function identityKey(identity: ThirdPartyIdentity): string {
  return `${identity.id.length}:${identity.id}${identity.userId}`;
}
