/**
 * Every member of a user payload, once: what is not here cannot be read (a type error), and whatever is here is kept while
 * the user is staged, unless it is a secret. A test holds readers, staged users and the interface description to it.
 */
interface PayloadField {
  /** Not kept with the payload of a staged user: its hash is, apart from it. */
  secret?: true;
  /** Members of only one recipe. */
  recipe?: 'emailpassword' | 'thirdparty';
}

export const USER_FIELDS = {
  externalUserId: {},
  userMetadata: {},
  userRoles: {},
  totpDevices: {},
  loginMethods: {},
} as const satisfies Record<string, PayloadField>;

export const LOGIN_METHOD_FIELDS = {
  recipeId: {},
  tenantIds: {},
  email: {},
  isVerified: {},
  isPrimary: {},
  timeJoinedInMSSinceEpoch: {},
  externalUserId: {},
  passwordHash: { recipe: 'emailpassword', secret: true },
  hashingAlgorithm: { recipe: 'emailpassword', secret: true },
  hashingSecretId: { recipe: 'emailpassword', secret: true },
  plainTextPassword: { recipe: 'emailpassword', secret: true },
  thirdPartyId: { recipe: 'thirdparty' },
  thirdPartyUserId: { recipe: 'thirdparty' },
} as const satisfies Record<string, PayloadField>;

export type PayloadFieldName = keyof typeof USER_FIELDS | keyof typeof LOGIN_METHOD_FIELDS;

/** The members of a login method that are kept while its user is staged. */
export function stagedMethodFields(recipeId: unknown): string[] {
  return Object.entries<PayloadField>(LOGIN_METHOD_FIELDS).flatMap(([name, { recipe, secret }]) =>
    secret || (recipe !== undefined && recipe !== recipeId) ? [] : name,
  );
}
