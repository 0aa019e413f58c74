import { Type } from '@sinclair/typebox';
import { QueryField, RecipeIdsField, readRecipeIds } from '../../protocol/query.ts';
import { isAtLeast } from '../../server/request-checks.ts';
import { defineRoute } from '../define-route.ts';

export const countUsersRoute = defineRoute({
  schema: {
    tags: ['users'],
    summary: 'Counts users',
    querystring: Type.Object({
      includeRecipeIds: RecipeIdsField,
      includeAllTenants: QueryField('Has no effect, because there is one tenant.', Type.Boolean()),
      allowApproximate: QueryField(
        'From CDI 5.6 on: the answer has `approximate` and `asOf`. The count is exact all the same.',
        Type.Boolean({ default: false }),
      ),
    }),
    response: {
      200: Type.Object({
        status: Type.Literal('OK'),
        count: Type.Integer(),
        approximate: Type.Optional(Type.Literal(false)),
        asOf: Type.Optional(Type.Integer({ description: 'Time of the count, in ms since the epoch.' })),
      }),
    },
  },
  handler:
    ({ store, now }) =>
    async ({ query, cdiVersion }) => {
      const recipeIds = readRecipeIds(query.includeRecipeIds);
      const saysWhen = isAtLeast(cdiVersion, '5.6') && query.allowApproximate?.toLowerCase() === 'true';
      const asOf = now();
      const count = await store.countUsers(recipeIds ? { recipeIds } : {});
      return { status: 'OK' as const, count, ...(saysWhen && { approximate: false as const, asOf }) };
    },
});
