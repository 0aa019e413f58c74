import { Type } from '@sinclair/typebox';
import { defineRoute } from '../define-route.ts';

export const apiKeyRoute = defineRoute({
  schema: {
    tags: ['service'],
    summary: 'Returns the name and the rights of the API key in the request',
    response: {
      200: Type.Object({
        status: Type.Literal('OK'),
        name: Type.String(),
        allow: Type.Array(Type.String(), { description: 'See docs/api-keys.md.' }),
      }),
    },
  },
  handler:
    () =>
    async ({ apiKeyName = '', apiKeyRights = [] }) => ({
      status: 'OK' as const,
      name: apiKeyName,
      allow: [...apiKeyRights],
    }),
});
