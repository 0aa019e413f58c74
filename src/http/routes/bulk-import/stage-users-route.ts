import { Type } from '@sinclair/typebox';
import { stageUsers } from '../../../imports/staged/stage-users.ts';
import { AppError } from '../../../lib/errors.ts';
import { AssignedIdsJson, assignedIdsJson } from '../../protocol/staged-user-json.ts';
import { UserPayloadField } from '../../protocol/user-payload.ts';
import { clientGone } from '../../server/connections.ts';
import { defineRoute } from '../define-route.ts';

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
