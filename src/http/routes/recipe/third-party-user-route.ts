import { Type } from '@sinclair/typebox';
import { signInUpThirdParty } from '../../../users/sign-in-up-third-party.ts';
import { EmailField, IdentityField } from '../../protocol/fields.ts';
import { recipeUserIdJson, UserJson, userJson } from '../../protocol/user-json.ts';
import { defineRoute } from '../define-route.ts';

export const thirdPartyUserRoute = defineRoute({
  schema: {
    tags: ['import', 'sign-in'],
    summary: 'Signs in a third-party user, creating it first where it is new',
    description:
      'A user is its identity at the provider. A known identity with another e-mail takes that e-mail over.',
    body: Type.Object({
      thirdPartyId: IdentityField,
      thirdPartyUserId: IdentityField,
      email: Type.Object({
        id: EmailField,
        isVerified: Type.Optional(
          Type.Boolean({
            default: false,
            description: 'true marks this address verified; false changes nothing.',
          }),
        ),
      }),
    }),
    response: {
      200: Type.Object({
        status: Type.Literal('OK'),
        createdNewUser: Type.Boolean(),
        user: UserJson,
        recipeUserId: Type.String(),
      }),
    },
  },
  handler:
    ({ store }) =>
    async (request) => {
      const { thirdPartyId, thirdPartyUserId, email } = request.body;
      const { user, recipeUserId, created } = await signInUpThirdParty(store, {
        identity: { id: thirdPartyId, userId: thirdPartyUserId },
        email: email.id,
        verified: email.isVerified ?? false,
      });
      return {
        status: 'OK' as const,
        createdNewUser: created,
        user: userJson(user, request.cdiVersion),
        recipeUserId: recipeUserIdJson(user, recipeUserId),
      };
    },
});
