import { Type } from '@sinclair/typebox';
import { AppError } from '../../../lib/errors.ts';
import { emailPrefixToFind } from '../../../users/email.ts';
import { readPaginationToken, writePaginationToken } from '../../protocol/pagination-token.ts';
import {
  LimitField,
  QueryField,
  RecipeIdsField,
  readLimit,
  readRecipeIds,
  TokenField,
} from '../../protocol/query.ts';
import { UserJson, userJson } from '../../protocol/user-json.ts';
import { defineRoute } from '../define-route.ts';

function readOrder(value = 'ASC'): 'asc' | 'desc' {
  if (value === 'ASC') return 'asc';
  if (value === 'DESC') return 'desc';
  throw new AppError('QUERY_INVALID', 'timeJoinedOrder can be either ASC OR DESC');
}

export const listUsersRoute = defineRoute({
  schema: {
    tags: ['users'],
    summary: 'Lists users by the time when they joined, page by page',
    description: 'A page ends early if its users have thousands of login methods.',
    querystring: Type.Object({
      limit: LimitField('Users'),
      timeJoinedOrder: QueryField(
        'Order by the time when the users joined.',
        Type.String({ enum: ['ASC', 'DESC'], default: 'ASC' }),
      ),
      paginationToken: TokenField,
      includeRecipeIds: RecipeIdsField,
      email: QueryField(
        'Only users with an address that starts with this text.',
        Type.String({ maxLength: 256 }),
      ),
    }),
    response: {
      200: Type.Object({
        status: Type.Literal('OK'),
        users: Type.Array(UserJson),
        nextPaginationToken: Type.Optional(Type.String({ description: 'Absent on the last page.' })),
      }),
    },
  },
  handler:
    ({ store }) =>
    async (request) => {
      const { query } = request;
      const limit = readLimit(query.limit);
      const recipeIds = readRecipeIds(query.includeRecipeIds);
      const emailPrefix = emailPrefixToFind(query.email ?? '');
      const { users, next } = await store.listUsers({
        limit,
        order: readOrder(query.timeJoinedOrder),
        ...(query.paginationToken !== undefined && { start: readPaginationToken(query.paginationToken) }),
        ...(recipeIds && { recipeIds }),
        ...(emailPrefix !== '' && { emailPrefix }),
      });
      return {
        status: 'OK' as const,
        users: users.map((user) => userJson(user, request.cdiVersion)),
        ...(next && { nextPaginationToken: writePaginationToken(next) }),
      };
    },
});
