import { Type } from '@sinclair/typebox';
import type { App, RouteDeps } from '../../context.ts';
import { readStagedStatus, StagedStatusField } from '../../wire/staged-user-json.ts';

export async function countStagedUsersRoute(app: App, { staged }: RouteDeps): Promise<void> {
  app.get(
    '/bulk-import/users/count',
    {
      config: { appLevel: true },
      schema: {
        tags: ['import'],
        summary: 'Counts staged users that wait for their import or have failed',
        querystring: Type.Object({ status: StagedStatusField }),
        response: { 200: Type.Object({ status: Type.Literal('OK'), count: Type.Integer() }) },
      },
    },
    async ({ query }) => ({
      status: 'OK' as const,
      count: await staged.count(readStagedStatus(query.status)),
    }),
  );
}
