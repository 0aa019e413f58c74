/** What is known of users that a chunk of lines may meet: those that are stored, and those of the lines before. */
export interface Known {
  /** By e-mail. */
  readonly passwords: Map<string, KnownPassword>;
  /** By `identityKey`. */
  readonly thirdParties: Map<string, KnownThirdParty>;
  /** By external id. */
  readonly externalIds: Map<string, LoginIds>;
  /** External ids of users, by user id. */
  readonly externalIdOfUser: Map<string, string>;
}

export interface LoginIds {
  userId: string;
  recipeUserId: string;
}

export interface KnownPassword extends LoginIds {
  hashSetBy: 'import' | 'user' | 'rehash';
  /** A dry run would have created it. */
  isImagined?: boolean;
}

export interface KnownThirdParty extends LoginIds {
  email: string;
  hasSignedIn: boolean;
  isImagined?: boolean;
}

/** What a planner must be able to look up and note down. */
export type Notebook = {
  [Kind in keyof Known]: Lookup<Known[Kind] extends Map<string, infer T> ? T : never>;
};

interface Lookup<T> {
  has(key: string): boolean;
  get(key: string): T | undefined;
  set(key: string, value: T): unknown;
}
