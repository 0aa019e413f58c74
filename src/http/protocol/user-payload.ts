import { type TSchema, Type } from '@sinclair/typebox';
import { MAX_LOGIN_METHODS } from '../../imports/input/read-user-payload.ts';
import { MAX_CHARACTERS } from '../../users/max-characters.ts';
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
    timeJoinedInMSSinceEpoch: Type.Optional(Type.Integer({ minimum: 0, description: 'Not in the future.' })),
    externalUserId: Type.Optional(ExternalId),
    tenantIds: Type.Optional(Type.Array(Type.Literal('public'), { minItems: 1 })),
  });

/**
 * A user with all its login methods, for the documentation. Requests are checked by `readUserPayload`, which reports what is wrong in
 * words that clients of SuperTokens core know.
 */
const UserPayload = Type.Object({
  externalUserId: Type.Optional(ExternalId),
  userMetadata: Type.Optional(Type.Object({}, { additionalProperties: true })),
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
