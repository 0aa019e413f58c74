/**
 * Properties of one member of a user in the JSON of an import. USER_FIELDS and LOGIN_METHOD_FIELDS list every
 * member: code can read only listed members (otherwise a type error), and a staged user keeps all but
 * secrets. A test compares the tables with the code and the interface description.
 */
interface PayloadField {
  /** Left out of the stored JSON of a staged user. Hashes and factors are stored in columns of their own. */
  secret?: true;
  recipe?: 'emailpassword' | 'thirdparty';
}

export const USER_FIELDS = {
  externalUserId: {},
  userMetadata: {},
  disabled: {},
  userRoles: { secret: true },
  totpDevices: { secret: true },
  phoneNumbers: { secret: true },
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
  // `password` and `legacySignIn` contain no secret: their only values are "unset" and true.
  password: { recipe: 'emailpassword' },
  legacySignIn: { recipe: 'emailpassword' },
  thirdPartyId: { recipe: 'thirdparty' },
  thirdPartyUserId: { recipe: 'thirdparty' },
} as const satisfies Record<string, PayloadField>;

/** Members of a TOTP device and of a role. A staged user has them in a column of its own, encrypted. */
export const FACTOR_FIELDS = [
  'secretKey',
  'period',
  'skew',
  'digits',
  'algorithm',
  'deviceName',
  'role',
  'tenantIds',
] as const;

export type PayloadFieldName =
  | keyof typeof USER_FIELDS
  | keyof typeof LOGIN_METHOD_FIELDS
  | (typeof FACTOR_FIELDS)[number];

export const STAGED_USER_FIELDS: readonly string[] = Object.entries<PayloadField>(USER_FIELDS).flatMap(
  ([name, { secret }]) => (secret ? [] : name),
);

export function stagedMethodFields(recipeId: unknown): string[] {
  return Object.entries<PayloadField>(LOGIN_METHOD_FIELDS).flatMap(([name, { recipe, secret }]) =>
    secret || (recipe !== undefined && recipe !== recipeId) ? [] : name,
  );
}
