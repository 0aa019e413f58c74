/** A user of this service. Ids are lower-case UUIDs; times are milliseconds since the epoch. */
export interface User {
  id: string;
  /** Id of the user in a former system. If a user has one, callers see it instead of `id`. */
  externalId?: string;
  /** Time when the user joined: the earliest of the times of the login methods. */
  timeJoinedMs: number;
  isDisabled?: true;
  /** Login methods of the user in the order in which they were added. There is at least one. */
  loginMethods: LoginMethod[];
}

export type LoginMethod = PasswordMethod | ThirdPartyMethod;

interface MethodBase {
  /** Id of the login method. It equals the user's id if the user has only one method. */
  recipeUserId: string;
  externalId?: string;
  email: string;
  /** Whether the e-mail address of the login method was ever marked as verified. */
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

/**
 * Account of a person at a third-party provider, such as `{ id: 'google', userId: '1087…' }`. Both ids are
 * compared exactly.
 */
export interface ThirdPartyIdentity {
  id: string;
  userId: string;
}

export type RecipeId = LoginMethod['recipeId'];

/**
 * Returns a text that is unique for each third-party identity. The length distinguishes `a`+`bc` from
 * `ab`+`c`.
 */
export function identityKey(identity: ThirdPartyIdentity): string {
  return `${identity.id.length}:${identity.id}${identity.userId}`;
}
