import { type TSchema, Type } from '@sinclair/typebox';
import { AppError } from '../../../lib/errors.ts';
import { DEFAULT_LIMIT, LimitField, MAX_LIMIT, readInteger, TokenField } from '../../wire/query.ts';
import {
  readStagedStatus,
  StagedStatusField,
  StagedUserJson,
  stagedUserJson,
} from '../../wire/staged-user-json.ts';
import { defineRoute } from '../define-route.ts';

/** Most bytes of the forms of a page, unless the first alone has more: 500 of the largest would be 32 MiB, and more if so set. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Written here, not by Fastify. */
const AsText = (schema: TSchema) => Type.Unsafe<string>(schema);

function readLimit(value: string | undefined): number {
  const limit = readInteger('limit', value) ?? DEFAULT_LIMIT;
  if (limit > MAX_LIMIT) throw new AppError('QUERY_INVALID', `Max limit allowed is ${MAX_LIMIT}`);
  if (limit < 1) throw new AppError('QUERY_INVALID', 'limit must a positive integer with min value 1');
  return limit;
}

const TOKEN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function readToken(token: string): string {
  if (TOKEN.test(token)) return token;
  throw new AppError('QUERY_INVALID', 'invalid pagination token');
}

export const listStagedUsersRoute = defineRoute({
  schema: {
    tags: ['import'],
    summary: 'Lists staged users that wait for their import or have failed, the newest first',
    description:
      'As they were sent, but for passwords and hashes. A page ends early where its users have more than 4 MiB together.',
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
      const limit = readLimit(query.limit);
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
