import { Type } from '@sinclair/typebox';
import { reportHandOver } from '../../../hand-over/hand-over-report.ts';
import { HandOverJson, handOverJson } from '../../protocol/hand-over-json.ts';
import { defineRoute } from '../define-route.ts';

/** Usually there are two at most: one for all users, and one for users who were imported later. */
const MOST = 20;

export const listHandOversRoute = defineRoute({
  schema: {
    tags: ['hand-over'],
    summary: `Lists the last ${MOST} hand-overs, the newest first`,
    response: { 200: Type.Object({ status: Type.Literal('OK'), handOvers: Type.Array(HandOverJson) }) },
  },
  handler:
    ({ handOvers }) =>
    async () => {
      const reports = [];
      for (const { handOverId } of await handOvers.list(MOST)) {
        const report = await reportHandOver(handOvers, handOverId);
        if (report !== undefined) reports.push(handOverJson(report));
      }
      return { status: 'OK' as const, handOvers: reports };
    },
});
