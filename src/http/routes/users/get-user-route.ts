import { Type } from '@sinclair/typebox';
import { AnyIdField } from '../../protocol/fields.ts';
import { UserJson, userJson } from '../../protocol/user-json.ts';
import { defineRoute } from '../define-route.ts';

export const getUserRoute = defineRoute({
  schema: {
    tags: ['users'],
    summary: 'Finds a user by user id, recipe user id or external id',
    querystring: Type.Object({ userId: AnyIdField }),
    response: {
      200: Type.Object({
        status: Type.String({ enum: ['OK', 'UNKNOWN_USER_ID_ERROR'] }),
        user: Type.Optional(UserJson),
      }),
    },
  },
  handler:
    ({ store }) =>
    async (request) => {
      const user = await store.findUser(request.query.userId);
      if (user === undefined) return { status: 'UNKNOWN_USER_ID_ERROR' };
      return { status: 'OK', user: userJson(user, request.cdiVersion) };
    },
});
