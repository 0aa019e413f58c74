import { Type } from '@sinclair/typebox';
import { type HandOverReport, reportHandOver } from '../../hand-over/hand-over-report.ts';
import { inspectHandOver, startHandOver, undoHandOver } from '../../hand-over/start-hand-over.ts';
import { AppError } from '../../lib/errors.ts';
import { isUuid } from '../../lib/text/characters.ts';
import type { Front } from '../context.ts';
import { LimitField, QueryField, readLimit } from '../protocol/query.ts';
import { flag, integer, ok, okOr, oneOf, optional, string } from '../protocol/schema.ts';
import { defineRoute } from './define-route.ts';

const Count = Type.Integer({ minimum: 0 });

const HandOverJson = Type.Object({
  handOverId: Type.String(),
  apiKeyName: string('Name of the API key that started the hand-over.'),
  status: oneOf(['RUNNING', 'FINISHED', 'UNDOING', 'UNDONE']),
  problem: optional(
    string('Reason why the hand-over does not advance at the moment. It continues by itself.'),
  ),
  unlinked: Type.Boolean(),
  startedAt: integer('Milliseconds since the epoch.'),
  finishedAt: optional(integer('When all users were done, in ms since the epoch.')),
  users: integer('Number of users when the hand-over started.', { minimum: 0 }),
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
  movedByDay: Type.Array(Type.Object({ day: string('Day in UTC.'), logins: Count })),
  advice: string('Next step for the operator.'),
});

const handOverJson = ({ handOver, ...report }: HandOverReport) => ({
  ...handOver,
  ...report,
  apiKeyName: handOver.keyName,
  startedAt: handOver.startedAtMs,
  finishedAt: handOver.finishedAtMs,
  users: handOver.totalUsers,
});

const PreflightJson = Type.Object({
  users: Count,
  linkedUsers: integer('Users with several login methods.', { minimum: 0 }),
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

const HandOverParams = Type.Object({ handOverId: string('The `handOverId` of a hand-over.') });

const UNKNOWN = { status: 'UNKNOWN_HAND_OVER_ID_ERROR' } as const;

/** @throws {AppError} CORE_NOT_CONFIGURED if no core is configured */
function requireFront(front: Front | undefined): Front {
  if (front !== undefined) return front;
  throw new AppError(
    'CORE_NOT_CONFIGURED',
    'There is no SuperTokens core behind this service: set upstream_core_uri',
  );
}

export const startHandOverRoute = defineRoute({
  tags: ['hand-over'],
  summary: 'Starts to create all users in the SuperTokens core behind this service',
  description:
    'The work is done in the background, and continues after any interruption. A hand-over that has not ended is continued and returned. Users who are already in the core are left out.',
  body: Type.Object({
    dryRun: optional(flag('Only count users and check the core. Nothing is changed.', { default: false })),
    unlinked: flag(
      'Whether each login method becomes a separate user in the core. Otherwise login methods stay together.',
    ),
  }),
  answer: ok({
    preflight: PreflightJson,
    isNew: optional(flag('False if an earlier hand-over was continued.')),
    handOver: optional(HandOverJson),
  }),
  errors: ['CORE_NOT_CONFIGURED', 'CORE_UNAVAILABLE', 'HAND_OVER_REFUSED'],
}).handle(async ({ body: { dryRun = false, unlinked }, apiKeyName = '' }, { front, handOvers }) => {
  if (dryRun) return { status: 'OK', preflight: await inspectHandOver({ handOvers, front }, { unlinked }) };
  const deps = requireFront(front);
  const { handOver, isNew, preflight } = await startHandOver(deps, { unlinked, keyName: apiKeyName });
  const report = await reportHandOver(handOvers, handOver.handOverId);
  return { status: 'OK', preflight, isNew, handOver: report && handOverJson(report) };
});

/** Number of hand-overs to list. Usually there are two at most: one for all users, and one for users who were imported later. */
const MOST_HAND_OVERS = 20;

export const listHandOversRoute = defineRoute({
  tags: ['hand-over'],
  summary: `Lists the last ${MOST_HAND_OVERS} hand-overs, the newest first`,
  answer: ok({ handOvers: Type.Array(HandOverJson) }),
}).handle(async (_request, { handOvers }) => {
  const reports = [];
  for (const { handOverId } of await handOvers.list(MOST_HAND_OVERS)) {
    const report = await reportHandOver(handOvers, handOverId);
    if (report !== undefined) reports.push(handOverJson(report));
  }
  return { status: 'OK', handOvers: reports };
});

export const getHandOverRoute = defineRoute({
  tags: ['hand-over'],
  summary: 'Returns the progress of a hand-over',
  params: HandOverParams,
  answer: okOr([UNKNOWN.status], { handOver: HandOverJson }),
}).handle(async ({ params: { handOverId } }, { handOvers }) => {
  const report = await reportHandOver(handOvers, handOverId);
  return report ? { status: 'OK', handOver: handOverJson(report) } : UNKNOWN;
});

export const listRefusedRoute = defineRoute({
  tags: ['hand-over'],
  summary: 'Lists the logins that the core has refused, with reasons, page by page',
  params: HandOverParams,
  query: Type.Object({
    after: QueryField('`nextAfter` of the previous page.', Type.String()),
    limit: LimitField('Logins'),
  }),
  answer: okOr([UNKNOWN.status], {
    refused: Type.Array(
      Type.Object({ recipeUserId: Type.String(), userId: Type.String(), reason: Type.String() }),
    ),
    nextAfter: string('Absent on the last page.'),
  }),
}).handle(async ({ params: { handOverId }, query: { after = '', limit } }, { handOvers }) => {
  if ((await handOvers.find(handOverId)) === undefined) return UNKNOWN;
  const most = readLimit(limit);
  const refused = await handOvers.listRefused(handOverId, isUuid(after) ? after : undefined, most);
  return {
    status: 'OK',
    refused,
    nextAfter: refused.length === most ? refused.at(-1)?.recipeUserId : undefined,
  };
});

export const undoHandOverRoute = defineRoute({
  tags: ['hand-over'],
  summary: 'Removes the users of a hand-over from the core who still wait there',
  description:
    'The work is done in the background. Users who have signed in since, or whose password was changed in the core, stay there.',
  params: HandOverParams,
  // Fastify's value for a missing body is `null`.
  body: Type.Union([Type.Object({}), Type.Null()]),
  answer: okOr([UNKNOWN.status], {}),
  errors: ['CORE_NOT_CONFIGURED'],
}).handle(async ({ params: { handOverId } }, { front, handOvers }) => {
  if ((await handOvers.find(handOverId)) === undefined) return UNKNOWN;
  return (await undoHandOver(requireFront(front), handOverId)) ? { status: 'OK' } : UNKNOWN;
});
