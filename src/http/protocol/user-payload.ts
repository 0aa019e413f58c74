import { type TSchema, Type } from '@sinclair/typebox';
import { DIGITS, MAX_FACTORS, MAX_PERIOD_SECONDS, MAX_SKEW } from '../../imports/input/read-factors.ts';
import { MAX_LOGIN_METHODS } from '../../imports/input/read-user-payload.ts';
import { MAX_CHARACTERS, TOTP_ALGORITHMS, TOTP_DEFAULTS } from '../../users/user.ts';
import {
  AlgorithmField,
  EmailField,
  IdentityField,
  PasswordField,
  PasswordHashField,
  SecretIdField,
} from './fields.ts';

const ExternalId = Type.String({ minLength: 1, maxLength: MAX_CHARACTERS.externalId });

const methodOf = (recipeId: string, members: Record<string, TSchema>) =>
  Type.Object({
    recipeId: Type.Literal(recipeId),
    email: EmailField,
    ...members,
    isVerified: Type.Optional(Type.Boolean({ default: false })),
    isPrimary: Type.Optional(Type.Boolean({ default: false })),
    timeJoinedInMSSinceEpoch: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Time when the user joined, in milliseconds since the epoch. Not in the future.',
      }),
    ),
    externalUserId: Type.Optional(ExternalId),
    tenantIds: Type.Optional(Type.Array(Type.Literal('public'), { minItems: 1 })),
  });

const KEPT = 'Stored encrypted with `factors_secret`, for the next system. Nothing here enforces it.';

const FactorText = Type.String({ minLength: 1, maxLength: MAX_CHARACTERS.identity });

const TotpDeviceField = Type.Object({
  secretKey: Type.String({
    minLength: 1,
    maxLength: MAX_CHARACTERS.identity,
    description: 'Key of the TOTP device in base32.',
  }),
  deviceName: Type.Optional(FactorText),
  period: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PERIOD_SECONDS,
      default: TOTP_DEFAULTS.period,
      description: 'seconds',
    }),
  ),
  skew: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_SKEW,
      default: TOTP_DEFAULTS.skew,
      description: 'Number of periods before and after the present one whose passwords are accepted, too.',
    }),
  ),
  digits: Type.Optional(
    Type.Integer({ minimum: DIGITS.min, maximum: DIGITS.max, default: TOTP_DEFAULTS.digits }),
  ),
  algorithm: Type.Optional(Type.String({ enum: [...TOTP_ALGORITHMS], default: TOTP_DEFAULTS.algorithm })),
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
 * For the interface description only: `readUserPayload` checks requests, in the words of SuperTokens core.
 */
const UserPayload = Type.Object({
  externalUserId: Type.Optional(ExternalId),
  ...Type.Partial(Type.Object(PROFILE_MEMBERS)).properties,
  disabled: Type.Optional(
    Type.Boolean({ default: false, description: 'Whether the user is disabled, and cannot sign in.' }),
  ),
  totpDevices: Type.Optional(Type.Array(TotpDeviceField, { maxItems: MAX_FACTORS, description: KEPT })),
  userRoles: Type.Optional(
    Type.Array(
      Type.Object({
        role: FactorText,
        tenantIds: Type.Optional(Type.Array(Type.Literal('public'), { minItems: 1 })),
      }),
      { maxItems: MAX_FACTORS, description: KEPT },
    ),
  ),
  phoneNumbers: Type.Optional(Type.Array(FactorText, { maxItems: MAX_FACTORS, description: KEPT })),
  loginMethods: Type.Array(
    Type.Union([
      methodOf('emailpassword', {
        passwordHash: PasswordHashField,
        hashingAlgorithm: Type.Optional(AlgorithmField),
        hashingSecretId: Type.Optional(SecretIdField),
      }),
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
