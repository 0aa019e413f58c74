import { Type } from '@sinclair/typebox';
import type { App, RouteDeps } from '../../context.ts';
import { AnyIdField } from '../../wire/fields.ts';
import { UserJson, userJson } from '../../wire/user-json.ts';

export async function getUserRoute(app: App, { store }: RouteDeps): Promise<void> {
  app.get(
    '/user/id',
    {
      config: { appLevel: true },
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
    },
    async (request) => {
      const user = await store.findUser(request.query.userId);
      if (user === undefined) return { status: 'UNKNOWN_USER_ID_ERROR' };
      return { status: 'OK', user: userJson(user, request.cdiVersion) };
    },
  );
}
