import { Type } from '@sinclair/typebox';
import { signIn } from '../../../users/sign-in.ts';
import { EmailField, PasswordField } from '../../protocol/fields.ts';
import { recipeUserIdJson, UserJson, userJson } from '../../protocol/user-json.ts';
import { clientGone } from '../../server/connections.ts';
import { defineRoute } from '../define-route.ts';

export const signInRoute = defineRoute({
  schema: {
    tags: ['sign-in'],
    summary: 'Checks an e-mail and password',
    description:
      'The answer and its duration are the same for an unknown e-mail, for a user without a password, and for a wrong password.',
    body: Type.Object({ email: EmailField, password: PasswordField }),
    response: {
      200: Type.Object({
        status: Type.String({ enum: ['OK', 'WRONG_CREDENTIALS_ERROR'] }),
        user: Type.Optional(UserJson),
        recipeUserId: Type.Optional(Type.String()),
      }),
    },
  },
  errors: ['LEGACY_UNAVAILABLE'],
  handler: (deps) => async (request, reply) => {
    const result = await signIn(deps, request.body, clientGone(reply));
    if (result.outcome === 'wrong-credentials') {
      request.hashAlgorithm = result.algorithm;
      return { status: 'WRONG_CREDENTIALS_ERROR' };
    }
    const { user, recipeUserId, hash } = result.login;
    request.hashAlgorithm = hash.algorithm;
    return {
      status: 'OK',
      user: userJson(user, request.cdiVersion),
      recipeUserId: recipeUserIdJson(user, recipeUserId),
    };
  },
});
