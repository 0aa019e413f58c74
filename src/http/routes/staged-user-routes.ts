import { Type } from '@sinclair/typebox';
import { importAtOnce } from '../../imports/staged/import-new-users.ts';
import { stageUsers } from '../../imports/staged/stage-users.ts';
import { AppError } from '../../lib/errors.ts';
import { isUuid } from '../../lib/text/characters.ts';
import { AnyIdField } from '../protocol/fields.ts';
import { LimitField, MAX_LIMIT, readLimit, TokenField } from '../protocol/query.ts';
import {
  AssignedIdsJson,
  assignedIdsJson,
  readStagedStatus,
  StagedStatusField,
  StagedUserJson,
  stagedUserJson,
} from '../protocol/staged-user-json.ts';
import { UserJson, userJson } from '../protocol/user-json.ts';
import { UserPayloadBody, UserPayloadField } from '../protocol/user-payload.ts';
import { clientGone } from '../server/connections.ts';
import { AsText, defineRoute } from './define-route.ts';

const MAX_USERS = 10_000;

const INVALID = 'Data has missing or invalid fields. Please check the users field for more details.';

const UsersField = Type.Array(UserPayloadField, {
  documentedAs: Type.Array(UserPayloadField, { maxItems: MAX_USERS }),
});

export const stageUsersRoute = defineRoute({
  schema: {
    tags: ['import'],
    summary: 'Stages users for an import in the background',
    description: `Stages at most ${MAX_USERS} users in the format of SuperTokens core: all of them or none. The answer has the ids under which the users and their login methods will be found. The GET lists users that wait or have failed, until they are imported. A \`plainTextPassword\` is hashed before the answer, which takes some time. If users are invalid, the error has \`users\`: \`[{"index":0,"errors":["…"]}]\`.`,
    body: Type.Object({ users: UsersField }),
    response: {
      200: Type.Object({
        status: Type.Literal('OK'),
        users: Type.Optional(
          Type.Array(AssignedIdsJson, {
            description: 'Ids in the order of the request. Missing if the request has no users.',
          }),
        ),
      }),
    },
  },
  errors: ['IMPORT_REFUSED'],
  handler: ({ staged, passwords, vault, now, bulk, wakeStagedWorker }) => {
    const stageDeps = { staged, passwords, vault, now, maxUserBytes: bulk.maxLineBytes };
    return async (request, reply) => {
      const { users } = request.body;
      // As in SuperTokens core, the answer has no `users` if the request has none.
      if (users.length === 0) return { status: 'OK' as const };
      if (users.length > MAX_USERS) throw refused(`You can only add ${MAX_USERS} users at a time.`);
      const result = await stageUsers(stageDeps, users, clientGone(reply));
      if ('problems' in result) throw refused(INVALID, { users: result.problems });
      wakeStagedWorker();
      return { status: 'OK' as const, users: result.ids.map(assignedIdsJson) };
    };
  },
});

/** The reason is in `error` as well, where SuperTokens core has it. */
const refused = (reason: string, more: { users?: unknown } = {}) =>
  new AppError('IMPORT_REFUSED', reason, { details: { error: reason, ...more } });

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

const MAX_IDS = 500;

function checkIds(ids: readonly string[]): void {
  const refuse = (what: string) => {
    throw new AppError('FIELD_INVALID', `Field name 'ids' cannot ${what}`);
  };
  if (ids.length > MAX_IDS) refuse(`contain more than ${MAX_IDS} elements`);
  if (ids.includes('')) refuse('contain an empty string');
}

export const removeStagedUsersRoute = defineRoute({
  schema: {
    tags: ['import'],
    summary: 'Removes staged users that wait for their import or have failed',
    description: 'Users that were imported are no longer staged: to remove one, use `POST /user/remove`.',
    body: Type.Object({
      ids: Type.Array(AnyIdField, {
        description: `At most ${MAX_IDS}.`,
        documentedAs: Type.Array(AnyIdField, { maxItems: MAX_IDS }),
      }),
    }),
    response: {
      200: Type.Object({
        deletedIds: Type.Array(Type.String()),
        invalidIds: Type.Array(Type.String({ description: 'Id that no staged user has.' })),
      }),
    },
  },
  handler:
    ({ staged }) =>
    async (request) => {
      const { ids } = request.body;
      checkIds(ids);
      const removed = await staged.remove(ids);
      return {
        deletedIds: ids.filter((id) => removed.has(id)),
        invalidIds: ids.filter((id) => !removed.has(id)),
      };
    },
});

export const importAtOnceRoute = defineRoute({
  schema: {
    tags: ['import'],
    summary: 'Imports one new user with all its login methods',
    description:
      'Nothing is changed if one of the login methods or external ids exists already. `errors` of the error answer lists all problems of the user, in the words of SuperTokens core.',
    body: UserPayloadBody,
    response: { 200: Type.Object({ status: Type.Literal('OK'), user: UserJson }) },
  },
  errors: ['IMPORT_REFUSED'],
  handler: (deps) => async (request, reply) => {
    const imported = await importAtOnce(deps, request.body, {
      signal: clientGone(reply),
      importer: request.apiKeyName ?? '',
    });
    if ('errors' in imported) {
      throw new AppError('IMPORT_REFUSED', 'The user cannot be imported: errors says why', {
        details: { errors: imported.errors },
      });
    }
    return { status: 'OK' as const, user: userJson(imported.user, request.cdiVersion) };
  },
});
