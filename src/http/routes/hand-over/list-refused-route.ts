import { Type } from '@sinclair/typebox';
import { isUuid } from '../../../lib/text/uuid.ts';
import { LimitField, QueryField, readLimit } from '../../protocol/query.ts';
import { defineRoute } from '../define-route.ts';
import { HandOverIdField } from './hand-over-id.ts';

export const listRefusedRoute = defineRoute({
  schema: {
    tags: ['hand-over'],
    summary: 'Lists the logins that the core has refused, with reasons, page by page',
    params: Type.Object({ handOverId: HandOverIdField }),
    querystring: Type.Object({
      after: QueryField('`nextAfter` of the previous page.', Type.String()),
      limit: LimitField('Logins'),
    }),
    response: {
      200: Type.Object({
        status: Type.String({ enum: ['OK', 'UNKNOWN_HAND_OVER_ID_ERROR'] }),
        refused: Type.Optional(
          Type.Array(
            Type.Object({ recipeUserId: Type.String(), userId: Type.String(), reason: Type.String() }),
          ),
        ),
        nextAfter: Type.Optional(Type.String({ description: 'Absent on the last page.' })),
      }),
    },
  },
  handler:
    ({ handOvers }) =>
    async ({ params: { handOverId }, query: { after, limit } }) => {
      const handOver = await handOvers.find(handOverId);
      if (handOver === undefined) return { status: 'UNKNOWN_HAND_OVER_ID_ERROR' };
      const most = readLimit(limit);
      const refused = await handOvers.listRefused(
        handOverId,
        after !== undefined && isUuid(after) ? after : undefined,
        most,
      );
      const last = refused.at(-1);
      return {
        status: 'OK',
        refused,
        ...(last !== undefined && refused.length === most && { nextAfter: last.recipeUserId }),
      };
    },
});
