import { Type } from '@sinclair/typebox';
import type { App, RouteDeps } from '../../context.ts';
import { AnyIdField } from '../../wire/fields.ts';

export async function removeUserRoute(app: App, { store }: RouteDeps): Promise<void> {
  app.post(
    '/user/remove',
    {
      config: { appLevel: true },
      schema: {
        tags: ['users'],
        summary: 'Removes a user; the e-mail or identity is free again',
        body: Type.Object({
          userId: AnyIdField,
          removeAllLinkedAccounts: Type.Optional(
            Type.Boolean({
              default: true,
              description: 'false: only the login method that has this id. Default true: the whole user.',
            }),
          ),
        }),
        response: { 200: Type.Object({ status: Type.Literal('OK') }) },
      },
    },
    async (request) => {
      const { userId, removeAllLinkedAccounts = true } = request.body;
      await store.removeUser(userId, removeAllLinkedAccounts ? 'user' : 'login-method');
      return { status: 'OK' as const };
    },
  );
}
