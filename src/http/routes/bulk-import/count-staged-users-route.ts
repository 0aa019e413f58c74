import { Type } from '@sinclair/typebox';
import { readStagedStatus, StagedStatusField } from '../../protocol/staged-user-json.ts';
import { defineRoute } from '../define-route.ts';

export const countStagedUsersRoute = defineRoute({
  schema: {
    tags: ['import'],
    summary: 'Counts staged users that wait for their import or have failed',
    querystring: Type.Object({ status: StagedStatusField }),
    response: { 200: Type.Object({ status: Type.Literal('OK'), count: Type.Integer() }) },
  },
  handler:
    ({ staged }) =>
    async ({ query }) => ({
      status: 'OK' as const,
      count: await staged.count(readStagedStatus(query.status)),
    }),
});
