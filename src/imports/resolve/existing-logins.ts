/** What is known of users that a chunk of lines may meet: those that are stored, and those of the lines before. */
export interface ExistingLogins {
  /** By e-mail. */
  readonly passwords: Map<string, ExistingPasswordLogin>;
  /** By `identityKey`. */
  readonly thirdParties: Map<string, ExistingThirdPartyLogin>;
  /** By external id. */
  readonly externalIds: Map<string, LoginIds>;
  /** External ids of users, by user id. */
  readonly externalIdOfUser: Map<string, string>;
}

export interface LoginIds {
  userId: string;
  recipeUserId: string;
}

export interface ExistingPasswordLogin extends LoginIds {
  hashSetBy: 'import' | 'user' | 'rehash';
  /** A dry run would have created it. */
  isDryRun?: boolean;
}

export interface ExistingThirdPartyLogin extends LoginIds {
  email: string;
  hasSignedIn: boolean;
  isDryRun?: boolean;
}

/** What a planner must be able to look up and note down. */
export type LoginIndex = {
  [Kind in keyof ExistingLogins]: Lookup<ExistingLogins[Kind] extends Map<string, infer T> ? T : never>;
};

interface Lookup<T> {
  has(key: string): boolean;
  get(key: string): T | undefined;
  set(key: string, value: T): unknown;
}
