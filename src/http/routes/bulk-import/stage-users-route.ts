import { Type } from '@sinclair/typebox';
import { stageUsers } from '../../../imports/staged/stage-users.ts';
import { AppError } from '../../../lib/errors.ts';
import type { App, RouteDeps } from '../../context.ts';
import { clientGone } from '../../server/client-gone.ts';
import { RequestLimit } from '../../server/request-limit.ts';
import { AssignedIdsJson, assignedIdsJson } from '../../wire/staged-user-json.ts';
import { UserPayloadField } from '../../wire/user-payload.ts';

const MAX_USERS = 10_000;

/** Ten thousand users with some metadata. Where body_limit_bytes is larger, that counts. */
const BODY_LIMIT_BYTES = 16 * 1024 * 1024;

const INVALID = 'Data has missing or invalid fields. Please check the users field for more details.';

const UsersField = Type.Array(UserPayloadField, {
  documentedAs: Type.Array(UserPayloadField, { maxItems: MAX_USERS }),
});

export async function stageUsersRoute(app: App, deps: RouteDeps): Promise<void> {
  const { passwords, now, bulk, wakeStagedWorker } = deps;
  const stageDeps = { staged: deps.staged, passwords, now, maxUserBytes: bulk.maxLineBytes };
  const uploads = new RequestLimit(
    bulk.maxStreams,
    'too many users are being staged (bulk_import_connections)',
  );

  app.post(
    '/bulk-import/users',
    {
      config: { appLevel: true, kind: 'bulk', takesUserPayloads: true, errors: ['IMPORT_REFUSED'] },
      bodyLimit: Math.max(BODY_LIMIT_BYTES, app.initialConfig.bodyLimit ?? 0),
      // Before the body is read: each may take much memory, and hash passwords for minutes.
      onRequest: async (_request, reply) => uploads.admit(reply),
      schema: {
        tags: ['import'],
        summary: 'Stages users, to be imported in the background at once',
        description: `At most ${MAX_USERS}, as SuperTokens core takes them; all or none. The answer has the ids under which they, and their login methods, will be found. Users that wait or have failed are listed by the GET, and leave it once they are imported. A \`plainTextPassword\` is hashed before this answers, which takes its time. Where users are invalid, the error has \`users\`: \`[{"index":0,"errors":["…"]}]\`.`,
        body: Type.Object({ users: UsersField }),
        response: {
          200: Type.Object({
            status: Type.Literal('OK'),
            users: Type.Optional(
              Type.Array(AssignedIdsJson, {
                description: 'In the order of the request; absent where it has none.',
              }),
            ),
          }),
        },
      },
    },
    async (request, reply) => {
      const { users } = request.body;
      // As SuperTokens core does.
      if (users.length === 0) return { status: 'OK' as const };
      if (users.length > MAX_USERS) throw refused(`You can only add ${MAX_USERS} users at a time.`);
      const staged = await stageUsers(stageDeps, users, clientGone(reply));
      if ('problems' in staged) throw refused(INVALID, { users: staged.problems });
      wakeStagedWorker();
      return { status: 'OK' as const, users: staged.ids.map(assignedIdsJson) };
    },
  );
}

/** `error` is where callers of SuperTokens core look for the reason. */
const refused = (reason: string, more: { users?: unknown } = {}) =>
  new AppError('IMPORT_REFUSED', reason, { details: { error: reason, ...more } });
