import { Type } from '@sinclair/typebox';
import { removeUser } from '../../../users/remove-user.ts';
import { AnyIdField } from '../../protocol/fields.ts';
import { defineRoute } from '../define-route.ts';

export const removeUserRoute = defineRoute({
  schema: {
    tags: ['users'],
    summary: 'Removes a user, so that the e-mail or identity is free again',
    body: Type.Object({
      userId: AnyIdField,
      removeAllLinkedAccounts: Type.Optional(
        Type.Boolean({
          default: true,
          description:
            '`false`: remove only the login method with this id. Default `true`: remove the whole user.',
        }),
      ),
    }),
    response: { 200: Type.Object({ status: Type.Literal('OK') }) },
  },
  handler: (deps) => async (request) => {
    const { userId, removeAllLinkedAccounts = true } = request.body;
    await removeUser(deps, { userId, scope: removeAllLinkedAccounts ? 'user' : 'login-method' });
    return { status: 'OK' as const };
  },
});
