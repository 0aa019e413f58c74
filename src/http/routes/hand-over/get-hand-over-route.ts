import { Type } from '@sinclair/typebox';
import { reportHandOver } from '../../../hand-over/hand-over-report.ts';
import { HandOverJson, handOverJson } from '../../protocol/hand-over-json.ts';
import { defineRoute } from '../define-route.ts';
import { HandOverIdField } from './hand-over-id.ts';

export const getHandOverRoute = defineRoute({
  schema: {
    tags: ['hand-over'],
    summary: 'Returns the progress of a hand-over',
    params: Type.Object({ handOverId: HandOverIdField }),
    response: {
      200: Type.Object({
        status: Type.String({ enum: ['OK', 'UNKNOWN_HAND_OVER_ID_ERROR'] }),
        handOver: Type.Optional(HandOverJson),
      }),
    },
  },
  handler:
    ({ handOvers }) =>
    async ({ params: { handOverId } }) => {
      const report = await reportHandOver(handOvers, handOverId);
      if (report === undefined) return { status: 'UNKNOWN_HAND_OVER_ID_ERROR' };
      return { status: 'OK', handOver: handOverJson(report) };
    },
});
