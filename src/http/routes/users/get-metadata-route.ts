import { Type } from '@sinclair/typebox';
import { AnyIdField } from '../../protocol/fields.ts';

import { AsText, defineRoute } from '../define-route.ts';

export const getMetadataRoute = defineRoute({
  schema: {
    tags: ['users'],
    summary: "Returns a user's metadata, exactly as it was imported",
    description:
      'The id is a user id, recipe user id or external id. For a user without metadata and for an unknown id, the answer has `{}`. Metadata cannot be changed through this service.',
    querystring: Type.Object({ userId: AnyIdField }),
    response: {
      200: AsText(
        Type.Object({
          status: Type.Literal('OK'),
          metadata: Type.Object({}, { additionalProperties: true }),
        }),
      ),
    },
  },
  handler:
    ({ store }) =>
    async ({ query: { userId } }, reply) => {
      // The stored metadata is sent as text, because parsing it would change some numbers.
      const metadata = (await store.findMetadata(userId)) ?? '{}';
      return reply.type('application/json; charset=utf-8').send(`{"status":"OK","metadata":${metadata}}`);
    },
});
