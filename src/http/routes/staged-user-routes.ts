import { type TSchema, Type } from '@sinclair/typebox';
import { importAtOnce } from '../../imports/staged/import-new-users.ts';
import { type AssignedIds, stageUsers } from '../../imports/staged/stage-users.ts';
import { STAGED_STATUSES, type StagedStatus, type StagedUser } from '../../imports/staged/staged-store.ts';
import { AppError } from '../../lib/errors.ts';
import { isUuid } from '../../lib/text/characters.ts';
import { AnyIdField } from '../protocol/fields.ts';
import {
  invalidToken,
  LimitField,
  MAX_LIMIT,
  NextToken,
  QueryField,
  readLimit,
  readOneOf,
  TokenField,
} from '../protocol/query.ts';
import { ok, oneOf, optional, string, Time } from '../protocol/schema.ts';
import { UserJson, userJson } from '../protocol/user-json.ts';
import { PROFILE_MEMBERS, UserPayloadBody, UserPayloadField } from '../protocol/user-payload.ts';
import { clientGone } from '../server/connections.ts';
import { defineRoute, sendJsonText } from './define-route.ts';

/** Returns the schema of a member that the answer has exactly as the client sent it, or not at all. */
const Sent = (schema: TSchema) => optional(Type.Unsafe<unknown>(schema));

/** Staged user in an answer, without members for passwords, hashes or factors. */
const StagedUserJson = Type.Object({
  id: string('User id after the import. Until then, `POST /bulk-import/users/remove` accepts it.'),
  status: oneOf(STAGED_STATUSES),
  errorMessage: optional(string('Why it failed.')),
  createdAt: Time,
  updatedAt: Time,
  externalUserId: Sent(Type.String()),
  ...Object.fromEntries(Object.entries(PROFILE_MEMBERS).map(([name, schema]) => [name, Sent(schema)])),
  disabled: Sent(Type.Boolean()),
  loginMethods: Type.Array(
    Type.Object({
      recipeId: Sent(Type.String()),
      tenantIds: Sent(Type.Array(Type.String())),
      email: Sent(Type.String()),
      isVerified: Sent(Type.Boolean()),
      isPrimary: Sent(Type.Boolean()),
      timeJoinedInMSSinceEpoch: Sent(Type.Integer()),
      externalUserId: Sent(Type.String()),
      password: Sent(Type.Literal('unset')),
      legacySignIn: Sent(Type.Literal(true)),
      thirdPartyId: Sent(Type.String()),
      thirdPartyUserId: Sent(Type.String()),
      superTokensUserId: optional(
        string('Id of the login method. Missing if an earlier version staged the user.'),
      ),
    }),
  ),
});

/**
 * Returns a staged user as JSON. The stored payload is inserted as text, because parsing would change some numbers and
 * take time.
 */
function stagedUserJson({ payload, createdAtMs, updatedAtMs, id, status, errorMessage }: StagedUser): string {
  const times = { createdAt: createdAtMs, updatedAt: updatedAtMs };
  const own = JSON.stringify({ id, status, errorMessage: errorMessage ?? undefined, ...times });
  // The payload has at least one member, so a comma separates it from the members above.
  return `${own.slice(0, -1)},${payload.slice(1)}`;
}

const AssignedIdsJson = Type.Object({
  userId: string('External id, if the user has one.'),
  loginMethods: Type.Array(
    Type.Object({
      recipeId: Type.String(),
      userId: string('Id under which the login will be found. An external id replaces it as `recipeUserId`.'),
      tenants: Type.Array(Type.String()),
      email: Type.String(),
      thirdpartyId: optional(Type.String()),
      thirdpartyUserId: optional(Type.String()),
    }),
  ),
});

const assignedIdsJson = ({ userId, loginMethods }: AssignedIds) => ({
  userId,
  loginMethods: loginMethods.map(({ userId, method }) => ({
    recipeId: method.recipeId,
    userId,
    tenants: ['public'],
    email: method.email,
    ...(method.recipeId === 'thirdparty' && {
      thirdpartyId: method.identity.id,
      thirdpartyUserId: method.identity.userId,
    }),
  })),
});

const StagedStatusField = QueryField(
  'Only those in this state.',
  Type.String({ enum: [...STAGED_STATUSES] }),
);

/** @throws {AppError} QUERY_INVALID */
const readStagedStatus = (value: string | undefined): StagedStatus | undefined =>
  value === undefined ? undefined : readOneOf('status', STAGED_STATUSES, value, UNKNOWN_STATUS);

const UNKNOWN_STATUS = 'Invalid value for status. Pass one of NEW, PROCESSING, or FAILED!';

const MAX_USERS = 10_000;

const INVALID = 'Data has missing or invalid fields. Please check the users field for more details.';

const UsersField = Type.Array(UserPayloadField, {
  documentedAs: Type.Array(UserPayloadField, { maxItems: MAX_USERS }),
});

export const stageUsersRoute = defineRoute({
  tags: ['import'],
  summary: 'Stages users for an import in the background',
  description: `Stages at most ${MAX_USERS} users in the format of SuperTokens core: all of them or none. The answer has the ids under which the users and their login methods will be found. The GET lists users that wait or have failed, until they are imported. A \`plainTextPassword\` is hashed before the answer, which takes some time. If users are invalid, the error has \`users\`: \`[{"index":0,"errors":["…"]}]\`.`,
  body: Type.Object({ users: UsersField }),
  answer: ok({
    users: optional(
      Type.Array(AssignedIdsJson, {
        description: 'Ids in the order of the request. Missing if the request has no users.',
      }),
    ),
  }),
  errors: ['IMPORT_REFUSED'],
}).handle(async ({ body: { users } }, deps, reply) => {
  // As in SuperTokens core, the answer has no `users` if the request has none.
  if (users.length === 0) return { status: 'OK' };
  if (users.length > MAX_USERS) throw refused(`You can only add ${MAX_USERS} users at a time.`);
  const stageDeps = { ...deps, maxUserBytes: deps.bulk.maxLineBytes };
  const result = await stageUsers(stageDeps, users, clientGone(reply));
  if ('problems' in result) throw refused(INVALID, { users: result.problems });
  deps.wakeStagedWorker();
  return { status: 'OK', users: result.ids.map(assignedIdsJson) };
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
  throw invalidToken();
}

export const listStagedUsersRoute = defineRoute({
  tags: ['import'],
  summary: 'Lists staged users that wait for their import or have failed, newest first',
  description:
    'Users as they were sent, without passwords and hashes. A page ends early if its users have more than 4 MiB together.',
  query: Type.Object({
    status: StagedStatusField,
    limit: LimitField('Users'),
    paginationToken: TokenField,
  }),
  answer: ok({ users: Type.Array(StagedUserJson), nextPaginationToken: NextToken }),
}).handle(async ({ query }, { staged }, reply) => {
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
  return sendJsonText(reply, `{"status":"OK","users":[${users.map(stagedUserJson).join(',')}]${token}}`);
});

export const countStagedUsersRoute = defineRoute({
  tags: ['import'],
  summary: 'Counts staged users that wait for their import or have failed',
  query: Type.Object({ status: StagedStatusField }),
  answer: ok({ count: Type.Integer() }),
}).handle(async ({ query }, { staged }) => ({
  status: 'OK',
  count: await staged.count(readStagedStatus(query.status)),
}));

const MAX_IDS = 500;

function checkIds(ids: readonly string[]): void {
  const refuse = (what: string) => {
    throw new AppError('FIELD_INVALID', `Field name 'ids' cannot ${what}`);
  };
  if (ids.length > MAX_IDS) refuse(`contain more than ${MAX_IDS} elements`);
  if (ids.includes('')) refuse('contain an empty string');
}

export const removeStagedUsersRoute = defineRoute({
  tags: ['import'],
  summary: 'Removes staged users that wait for their import or have failed',
  description: 'Users that were imported are no longer staged: to remove one, use `POST /user/remove`.',
  body: Type.Object({
    ids: Type.Array(AnyIdField, {
      description: `At most ${MAX_IDS}.`,
      documentedAs: Type.Array(AnyIdField, { maxItems: MAX_IDS }),
    }),
  }),
  answer: Type.Object({
    deletedIds: Type.Array(Type.String()),
    invalidIds: Type.Array(string('Id that no staged user has.')),
  }),
}).handle(async ({ body: { ids } }, { staged }) => {
  checkIds(ids);
  const removed = await staged.remove(ids);
  return {
    deletedIds: ids.filter((id) => removed.has(id)),
    invalidIds: ids.filter((id) => !removed.has(id)),
  };
});

export const importAtOnceRoute = defineRoute({
  tags: ['import'],
  summary: 'Imports one new user with all its login methods',
  description:
    'Nothing is changed if one of the login methods or external ids exists already. `errors` of the error answer lists all problems of the user, in the words of SuperTokens core.',
  body: UserPayloadBody,
  answer: ok({ user: UserJson }),
  errors: ['IMPORT_REFUSED'],
}).handle(async (request, deps, reply) => {
  const imported = await importAtOnce(deps, request.body, {
    signal: clientGone(reply),
    importer: request.apiKeyName ?? '',
  });
  if ('errors' in imported) {
    throw new AppError('IMPORT_REFUSED', 'The user cannot be imported: errors says why', {
      details: { errors: imported.errors },
    });
  }
  return { status: 'OK', user: userJson(imported.user, request.cdiVersion) };
});
