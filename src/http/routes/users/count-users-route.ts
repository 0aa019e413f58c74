import { Type } from '@sinclair/typebox';
import { QueryField, RecipeIdsField, readRecipeIds } from '../../protocol/query.ts';
import { defineRoute } from '../define-route.ts';

export const countUsersRoute = defineRoute({
  schema: {
    tags: ['users'],
    summary: 'Counts users',
    querystring: Type.Object({
      includeRecipeIds: RecipeIdsField,
      includeAllTenants: QueryField('Has no effect, because there is one tenant.', Type.Boolean()),
    }),
    response: { 200: Type.Object({ status: Type.Literal('OK'), count: Type.Integer() }) },
  },
  handler:
    ({ store }) =>
    async (request) => {
      const recipeIds = readRecipeIds(request.query.includeRecipeIds);
      return { status: 'OK' as const, count: await store.countUsers(recipeIds ? { recipeIds } : {}) };
    },
});
