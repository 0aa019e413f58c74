import { Type } from '@sinclair/typebox';
import type { App, RouteDeps } from '../../context.ts';
import { QueryField, RecipeIdsField, readRecipeIds } from '../../wire/query.ts';

export async function countUsersRoute(app: App, { store }: RouteDeps): Promise<void> {
  app.get(
    '/users/count',
    {
      schema: {
        tags: ['users'],
        summary: 'Counts users',
        querystring: Type.Object({
          includeRecipeIds: RecipeIdsField,
          includeAllTenants: QueryField('There is one tenant: it makes no difference.', Type.Boolean()),
        }),
        response: { 200: Type.Object({ status: Type.Literal('OK'), count: Type.Integer() }) },
      },
    },
    async (request) => {
      const recipeIds = readRecipeIds(request.query.includeRecipeIds);
      return { status: 'OK' as const, count: await store.countUsers(recipeIds ? { recipeIds } : {}) };
    },
  );
}
