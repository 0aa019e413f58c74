import { Type } from '@sinclair/typebox';
import { AnyIdField } from '../../protocol/fields.ts';

import { AsText, defineRoute } from '../define-route.ts';

export const getMetadataRoute = defineRoute({
  schema: {
    tags: ['users'],
    summary: "Returns a user's metadata, exactly as it was imported",
    description:
      'By user id, recipe user id or external id. A user without metadata and an unknown id have `{}`. Metadata can be read here and not written.',
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
      // The text is not parsed, because that would change some numbers.
      const metadata = (await store.findMetadata(userId)) ?? '{}';
      return reply.type('application/json; charset=utf-8').send(`{"status":"OK","metadata":${metadata}}`);
    },
});
