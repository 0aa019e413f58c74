import { Type } from '@sinclair/typebox';
import { type HandOverReport, reportHandOver } from '../../hand-over/hand-over-report.ts';
import { inspectHandOver, startHandOver, undoHandOver } from '../../hand-over/start-hand-over.ts';
import { AppError } from '../../lib/errors.ts';
import { isUuid } from '../../lib/text/characters.ts';
import type { Front } from '../context.ts';
import { LimitField, QueryField, readLimit } from '../protocol/query.ts';
import { defineRoute } from './define-route.ts';

const Count = Type.Integer({ minimum: 0 });
const Time = (description: string) =>
  Type.Optional(Type.Integer({ description: `${description}, in ms since the epoch.` }));

const HandOverJson = Type.Object({
  handOverId: Type.String(),
  apiKeyName: Type.String({ description: 'Name of the API key that started the hand-over.' }),
  status: Type.String({ enum: ['RUNNING', 'FINISHED', 'UNDOING', 'UNDONE'] }),
  problem: Type.Optional(
    Type.String({
      description: 'Reason why the hand-over does not advance at the moment. It continues by itself.',
    }),
  ),
  unlinked: Type.Boolean(),
  startedAt: Type.Integer({ description: 'Milliseconds since the epoch.' }),
  finishedAt: Time('When all users were done'),
  users: Type.Integer({ minimum: 0, description: 'Number of users when the hand-over started.' }),
  logins: Type.Object(
    { sending: Count, waiting: Count, moved: Count, changed: Count, refused: Count },
    {
      description:
        'Number of logins by state. `waiting`: the core has a placeholder password until the first sign-in. `moved`: the core knows the password, or there is none. `changed`: the password was changed in the core before the first sign-in. `refused`: the core does not accept the user.',
    },
  ),
  byAlgorithm: Type.Array(
    Type.Object({ algorithm: Type.String(), waiting: Count, moved: Count, changed: Count, refused: Count }),
  ),
  movedByDay: Type.Array(Type.Object({ day: Type.String({ description: 'Day in UTC.' }), logins: Count })),
  advice: Type.String({ description: 'Next step for the operator.' }),
});

function handOverJson({ handOver, status, logins, byAlgorithm, movedByDay, advice }: HandOverReport) {
  const { handOverId, keyName, unlinked, startedAtMs, finishedAtMs, totalUsers, problem } = handOver;
  return {
    handOverId,
    apiKeyName: keyName,
    status,
    ...(problem !== undefined && { problem }),
    unlinked,
    startedAt: startedAtMs,
    ...(finishedAtMs !== undefined && { finishedAt: finishedAtMs }),
    users: totalUsers,
    logins,
    byAlgorithm,
    movedByDay,
    advice,
  };
}

const PreflightJson = Type.Object({
  users: Count,
  linkedUsers: Type.Integer({ minimum: 0, description: 'Users with several login methods.' }),
  thirdPartyLogins: Count,
  passwordLogins: Type.Array(Type.Object({ algorithm: Type.String(), logins: Count })),
  core: Type.Object({
    versions: Type.Array(Type.String(), { description: 'CDI versions that the core speaks.' }),
    features: Type.Array(Type.String(), { description: 'Licensed features of the core.' }),
  }),
  obstacles: Type.Array(Type.String(), {
    description: 'Reasons why the hand-over cannot start. Empty if it can.',
  }),
  warnings: Type.Array(Type.String()),
});

const HandOverIdField = Type.String({ description: 'The `handOverId` of a hand-over.' });

/** @throws {AppError} CORE_NOT_CONFIGURED if no core is configured */
function requireFront(front: Front | undefined): Front {
  if (front !== undefined) return front;
  throw new AppError(
    'CORE_NOT_CONFIGURED',
    'There is no SuperTokens core behind this service: set upstream_core_uri',
  );
}

export const startHandOverRoute = defineRoute({
  schema: {
    tags: ['hand-over'],
    summary: 'Starts to create all users in the SuperTokens core behind this service',
    description:
      'The work is done in the background, and continues after any interruption. A hand-over that has not ended is continued and returned. Users who are already in the core are left out.',
    body: Type.Object({
      dryRun: Type.Optional(
        Type.Boolean({
          description: 'Only count users and check the core. Nothing is changed.',
          default: false,
        }),
      ),
      unlinked: Type.Boolean({
        description:
          'Whether each login method becomes a separate user in the core. Otherwise login methods stay together.',
      }),
    }),
    response: {
      200: Type.Object({
        status: Type.Literal('OK'),
        preflight: PreflightJson,
        isNew: Type.Optional(Type.Boolean({ description: 'False if an earlier hand-over was continued.' })),
        handOver: Type.Optional(HandOverJson),
      }),
    },
  },
  errors: ['CORE_NOT_CONFIGURED', 'CORE_UNAVAILABLE', 'HAND_OVER_REFUSED'],
  handler:
    ({ front, handOvers }) =>
    async ({ body: { dryRun = false, unlinked }, apiKeyName = '' }) => {
      if (dryRun)
        return {
          status: 'OK' as const,
          preflight: await inspectHandOver({ handOvers, front }, { unlinked }),
        };
      const deps = requireFront(front);
      const { handOver, isNew, preflight } = await startHandOver(deps, { unlinked, keyName: apiKeyName });
      const report = await reportHandOver(handOvers, handOver.handOverId);
      return { status: 'OK' as const, preflight, isNew, ...(report && { handOver: handOverJson(report) }) };
    },
});

/** Number of hand-overs to list. Usually there are two at most: one for all users, and one for users who were imported later. */
const MOST_HAND_OVERS = 20;

export const listHandOversRoute = defineRoute({
  schema: {
    tags: ['hand-over'],
    summary: `Lists the last ${MOST_HAND_OVERS} hand-overs, the newest first`,
    response: { 200: Type.Object({ status: Type.Literal('OK'), handOvers: Type.Array(HandOverJson) }) },
  },
  handler:
    ({ handOvers }) =>
    async () => {
      const reports = [];
      for (const { handOverId } of await handOvers.list(MOST_HAND_OVERS)) {
        const report = await reportHandOver(handOvers, handOverId);
        if (report !== undefined) reports.push(handOverJson(report));
      }
      return { status: 'OK' as const, handOvers: reports };
    },
});

export const getHandOverRoute = defineRoute({
  schema: {
    tags: ['hand-over'],
    summary: 'Returns the progress of a hand-over',
    params: Type.Object({ handOverId: HandOverIdField }),
    response: {
      200: Type.Object({
        status: Type.String({ enum: ['OK', 'UNKNOWN_HAND_OVER_ID_ERROR'] }),
        handOver: Type.Optional(HandOverJson),
      }),
    },
  },
  handler:
    ({ handOvers }) =>
    async ({ params: { handOverId } }) => {
      const report = await reportHandOver(handOvers, handOverId);
      if (report === undefined) return { status: 'UNKNOWN_HAND_OVER_ID_ERROR' };
      return { status: 'OK', handOver: handOverJson(report) };
    },
});

export const listRefusedRoute = defineRoute({
  schema: {
    tags: ['hand-over'],
    summary: 'Lists the logins that the core has refused, with reasons, page by page',
    params: Type.Object({ handOverId: HandOverIdField }),
    querystring: Type.Object({
      after: QueryField('`nextAfter` of the previous page.', Type.String()),
      limit: LimitField('Logins'),
    }),
    response: {
      200: Type.Object({
        status: Type.String({ enum: ['OK', 'UNKNOWN_HAND_OVER_ID_ERROR'] }),
        refused: Type.Optional(
          Type.Array(
            Type.Object({ recipeUserId: Type.String(), userId: Type.String(), reason: Type.String() }),
          ),
        ),
        nextAfter: Type.Optional(Type.String({ description: 'Absent on the last page.' })),
      }),
    },
  },
  handler:
    ({ handOvers }) =>
    async ({ params: { handOverId }, query: { after, limit } }) => {
      const handOver = await handOvers.find(handOverId);
      if (handOver === undefined) return { status: 'UNKNOWN_HAND_OVER_ID_ERROR' };
      const most = readLimit(limit);
      const refused = await handOvers.listRefused(
        handOverId,
        after !== undefined && isUuid(after) ? after : undefined,
        most,
      );
      const last = refused.at(-1);
      return {
        status: 'OK',
        refused,
        ...(last !== undefined && refused.length === most && { nextAfter: last.recipeUserId }),
      };
    },
});

export const undoHandOverRoute = defineRoute({
  schema: {
    tags: ['hand-over'],
    summary: 'Removes the users of a hand-over from the core who still wait there',
    description:
      'The work is done in the background. Users who have signed in since, or whose password was changed in the core, stay there.',
    params: Type.Object({ handOverId: HandOverIdField }),
    // Fastify's value for a missing body is `null`.
    body: Type.Union([Type.Object({}), Type.Null()]),
    response: { 200: Type.Object({ status: Type.String({ enum: ['OK', 'UNKNOWN_HAND_OVER_ID_ERROR'] }) }) },
  },
  errors: ['CORE_NOT_CONFIGURED'],
  handler:
    ({ front, handOvers }) =>
    async ({ params: { handOverId } }) => {
      if ((await handOvers.find(handOverId)) === undefined) return { status: 'UNKNOWN_HAND_OVER_ID_ERROR' };
      const deps = requireFront(front);
      const isBegun = await undoHandOver(deps, handOverId);
      return { status: isBegun ? 'OK' : 'UNKNOWN_HAND_OVER_ID_ERROR' };
    },
});
