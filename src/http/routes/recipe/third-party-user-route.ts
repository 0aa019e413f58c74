import { Type } from '@sinclair/typebox';
import { signInUpThirdParty } from '../../../users/sign-in-up-third-party.ts';
import { EmailField, IdentityField } from '../../protocol/fields.ts';
import { DISABLED, recipeUserIdJson, UserJson, userJson } from '../../protocol/user-json.ts';
import { defineRoute } from '../define-route.ts';

export const thirdPartyUserRoute = defineRoute({
  schema: {
    tags: ['import', 'sign-in'],
    summary: 'Signs in a third-party user, who is created if new',
    description:
      'A user is identified by the account at the provider. If a known user has another e-mail now, the e-mail is updated. A disabled user gets `SIGN_IN_UP_NOT_ALLOWED`, and is not changed.',
    body: Type.Object({
      thirdPartyId: IdentityField,
      thirdPartyUserId: IdentityField,
      email: Type.Object({
        id: EmailField,
        isVerified: Type.Optional(
          Type.Boolean({
            default: false,
            description: '`true` marks this address as verified; `false` changes nothing.',
          }),
        ),
      }),
    }),
    response: {
      200: Type.Object({
        status: Type.String({ enum: ['OK', 'SIGN_IN_UP_NOT_ALLOWED'] }),
        createdNewUser: Type.Optional(Type.Boolean()),
        user: Type.Optional(UserJson),
        recipeUserId: Type.Optional(Type.String()),
        reason: Type.Optional(Type.String({ description: 'Why the sign-in is not allowed.' })),
      }),
    },
  },
  handler:
    ({ store }) =>
    async (request) => {
      const { thirdPartyId, thirdPartyUserId, email } = request.body;
      const signedIn = await signInUpThirdParty(store, {
        identity: { id: thirdPartyId, userId: thirdPartyUserId },
        email: email.id,
        verified: email.isVerified ?? false,
      });
      if (signedIn === 'disabled') return DISABLED;
      const { user, recipeUserId, created } = signedIn;
      return {
        status: 'OK' as const,
        createdNewUser: created,
        user: userJson(user, request.cdiVersion),
        recipeUserId: recipeUserIdJson(user, recipeUserId),
      };
    },
});
