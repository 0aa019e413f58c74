import { type TSchema, Type } from '@sinclair/typebox';
import { DIGITS, MAX_FACTORS, MAX_PERIOD_SECONDS, MAX_SKEW } from '../../imports/input/read-factors.ts';
import { MAX_LOGIN_METHODS } from '../../imports/input/read-user-payload.ts';
import { MAX_CHARACTERS, TOTP_ALGORITHMS, TOTP_DEFAULTS } from '../../users/user.ts';
import { EmailField, HASH_FIELDS, IdentityField, PasswordField } from './fields.ts';
import { flag, integer, optional, string } from './schema.ts';

const ExternalId = Type.String({ minLength: 1, maxLength: MAX_CHARACTERS.externalId });

const TenantIds = Type.Array(Type.Literal('public'), { minItems: 1 });

const methodOf = (recipeId: string, members: Record<string, TSchema>) =>
  Type.Object({
    recipeId: Type.Literal(recipeId),
    email: EmailField,
    ...members,
    isVerified: optional(Type.Boolean({ default: false })),
    isPrimary: optional(Type.Boolean({ default: false })),
    timeJoinedInMSSinceEpoch: optional(
      integer('Time when the user joined, in milliseconds since the epoch. Not in the future.', {
        minimum: 0,
      }),
    ),
    externalUserId: optional(ExternalId),
    tenantIds: optional(TenantIds),
  });

const KEPT_LIST = {
  maxItems: MAX_FACTORS,
  description: 'Stored encrypted with `factors_secret`, for the next system. Nothing here enforces it.',
};

const TEXT = { minLength: 1, maxLength: MAX_CHARACTERS.identity };
const FactorText = Type.String(TEXT);

const TotpDeviceField = Type.Object({
  secretKey: string('Key of the TOTP device in base32.', TEXT),
  deviceName: optional(FactorText),
  period: optional(
    integer('seconds', { minimum: 1, maximum: MAX_PERIOD_SECONDS, default: TOTP_DEFAULTS.period }),
  ),
  skew: optional(
    integer('Number of periods before and after the present one whose passwords are accepted, too.', {
      minimum: 0,
      maximum: MAX_SKEW,
      default: TOTP_DEFAULTS.skew,
    }),
  ),
  digits: optional(Type.Integer({ minimum: DIGITS.min, maximum: DIGITS.max, default: TOTP_DEFAULTS.digits })),
  algorithm: optional(Type.String({ enum: [...TOTP_ALGORITHMS], default: TOTP_DEFAULTS.algorithm })),
});

export const FactorsJson = Type.Object({
  totpDevices: Type.Array(TotpDeviceField),
  userRoles: Type.Array(Type.Object({ role: Type.String() })),
  phoneNumbers: Type.Array(Type.String()),
});

export const PROFILE_MEMBERS = {
  userMetadata: Type.Object({}, { additionalProperties: true }),
};

/**
 * Schema for the interface description only. `readUserPayload` checks requests, with the error messages of SuperTokens
 * core.
 */
const UserPayload = Type.Object({
  externalUserId: optional(ExternalId),
  ...Type.Partial(Type.Object(PROFILE_MEMBERS)).properties,
  disabled: optional(flag('Whether the user is disabled, and cannot sign in.', { default: false })),
  totpDevices: optional(Type.Array(TotpDeviceField, KEPT_LIST)),
  userRoles: optional(
    Type.Array(Type.Object({ role: FactorText, tenantIds: optional(TenantIds) }), KEPT_LIST),
  ),
  phoneNumbers: optional(Type.Array(FactorText, KEPT_LIST)),
  loginMethods: Type.Array(
    Type.Union([
      methodOf('emailpassword', HASH_FIELDS),
      methodOf('emailpassword', { plainTextPassword: PasswordField }),
      methodOf('emailpassword', { password: Type.Literal('unset') }),
      methodOf('emailpassword', { legacySignIn: Type.Literal(true) }),
      methodOf('thirdparty', { thirdPartyId: IdentityField, thirdPartyUserId: IdentityField }),
    ]),
    { minItems: 1, maxItems: MAX_LOGIN_METHODS },
  ),
});

export const UserPayloadField = Type.Unknown({ documentedAs: UserPayload });

export const UserPayloadBody = Type.Object({}, { documentedAs: UserPayload });
