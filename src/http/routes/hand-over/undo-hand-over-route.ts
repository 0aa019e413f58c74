import { Type } from '@sinclair/typebox';
import { undoHandOver } from '../../../hand-over/start-hand-over.ts';
import { defineRoute } from '../define-route.ts';
import { findByUuid, HandOverIdField } from './hand-over-id.ts';
import { requireFront } from './require-front.ts';

export const undoHandOverRoute = defineRoute({
  schema: {
    tags: ['hand-over'],
    summary: 'Removes the users of a hand-over from the core who still wait there',
    description:
      'The work is done in the background. Users who have signed in since, or whose password was changed in the core, stay there.',
    params: Type.Object({ handOverId: HandOverIdField }),
    response: { 200: Type.Object({ status: Type.String({ enum: ['OK', 'UNKNOWN_HAND_OVER_ID_ERROR'] }) }) },
  },
  errors: ['CORE_NOT_CONFIGURED'],
  handler:
    ({ front }) =>
    async ({ params: { handOverId } }) => {
      const deps = requireFront(front);
      const isBegun = await findByUuid(handOverId, (id) => undoHandOver(deps, id));
      return { status: isBegun ? 'OK' : 'UNKNOWN_HAND_OVER_ID_ERROR' };
    },
});
