import { Type } from '@sinclair/typebox';
import { signUp } from '../../../users/sign-up.ts';
import { EmailField, PasswordField } from '../../protocol/fields.ts';
import { UserJson, userJson } from '../../protocol/user-json.ts';
import { clientGone } from '../../server/connections.ts';
import { defineRoute } from '../define-route.ts';

export const signUpRoute = defineRoute({
  schema: {
    tags: ['sign-in'],
    summary: 'Creates a user with a password',
    description: 'Hashed as `password_hashing_alg` says.',
    body: Type.Object({ email: EmailField, password: PasswordField }),
    response: {
      200: Type.Object({
        status: Type.String({ enum: ['OK', 'EMAIL_ALREADY_EXISTS_ERROR'] }),
        user: Type.Optional(UserJson),
        recipeUserId: Type.Optional(Type.String()),
      }),
    },
  },
  errors: ['LEGACY_UNAVAILABLE', 'PASSWORD_EMPTY'],
  handler: (deps) => async (request, reply) => {
    const signedUp = await signUp(deps, request.body, clientGone(reply));
    if (signedUp === 'email-taken') return { status: 'EMAIL_ALREADY_EXISTS_ERROR' };
    request.hashAlgorithm = signedUp.algorithm;
    const { user } = signedUp;
    return { status: 'OK', user: userJson(user, request.cdiVersion), recipeUserId: user.id };
  },
});
