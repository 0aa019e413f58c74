import { Type } from '@sinclair/typebox';
import { AppError } from '../../../lib/errors.ts';
import { isUuid } from '../../../lib/text/uuid.ts';
import { LimitField, MAX_LIMIT, readLimit, TokenField } from '../../protocol/query.ts';
import {
  readStagedStatus,
  StagedStatusField,
  StagedUserJson,
  stagedUserJson,
} from '../../protocol/staged-user-json.ts';
import { AsText, defineRoute } from '../define-route.ts';

/** Maximum size of a page in bytes, unless its first user is larger. 500 users of maximum size would have 32 MiB. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Message of SuperTokens core: with a capital letter here, and without one for `GET /users`. */
const TOO_MANY = `Max limit allowed is ${MAX_LIMIT}`;

function readToken(token: string): string {
  if (isUuid(token)) return token;
  throw new AppError('QUERY_INVALID', 'invalid pagination token');
}

export const listStagedUsersRoute = defineRoute({
  schema: {
    tags: ['import'],
    summary: 'Lists staged users that wait for their import or have failed, newest first',
    description:
      'Users as they were sent, without passwords and hashes. A page ends early if its users have more than 4 MiB together.',
    querystring: Type.Object({
      status: StagedStatusField,
      limit: LimitField('Users'),
      paginationToken: TokenField,
    }),
    response: {
      200: AsText(
        Type.Object({
          status: Type.Literal('OK'),
          users: Type.Array(StagedUserJson),
          nextPaginationToken: Type.Optional(Type.String({ description: 'Absent on the last page.' })),
        }),
      ),
    },
  },
  handler:
    ({ staged }) =>
    async ({ query }, reply) => {
      const limit = readLimit(query.limit, { tooMany: TOO_MANY });
      const status = readStagedStatus(query.status);
      const start = query.paginationToken === undefined ? undefined : readToken(query.paginationToken);
      const { users, next } = await staged.list({
        limit,
        maxBytes: MAX_BYTES,
        ...(status && { status }),
        ...(start !== undefined && { start }),
      });
      const token = next === undefined ? '' : `,"nextPaginationToken":"${next}"`;
      return reply
        .type('application/json; charset=utf-8')
        .send(`{"status":"OK","users":[${users.map(stagedUserJson).join(',')}]${token}}`);
    },
});
