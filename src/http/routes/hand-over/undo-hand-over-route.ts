import { Type } from '@sinclair/typebox';
import { undoHandOver } from '../../../hand-over/start-hand-over.ts';
import { defineRoute } from '../define-route.ts';
import { HandOverIdField } from './hand-over-id.ts';
import { requireFront } from './require-front.ts';

export const undoHandOverRoute = defineRoute({
  schema: {
    tags: ['hand-over'],
    summary: 'Removes the users of a hand-over from the core who still wait there',
    description:
      'The work is done in the background. Users who have signed in since, or whose password was changed in the core, stay there.',
    params: Type.Object({ handOverId: HandOverIdField }),
    // Fastify's value for a missing body is `null`.
    body: Type.Union([Type.Object({}), Type.Null()]),
    response: { 200: Type.Object({ status: Type.String({ enum: ['OK', 'UNKNOWN_HAND_OVER_ID_ERROR'] }) }) },
  },
  errors: ['CORE_NOT_CONFIGURED'],
  handler:
    ({ front, handOvers }) =>
    async ({ params: { handOverId } }) => {
      if ((await handOvers.find(handOverId)) === undefined) return { status: 'UNKNOWN_HAND_OVER_ID_ERROR' };
      const deps = requireFront(front);
      const isBegun = await undoHandOver(deps, handOverId);
      return { status: isBegun ? 'OK' : 'UNKNOWN_HAND_OVER_ID_ERROR' };
    },
});
