import { Type } from '@sinclair/typebox';
import type { HandOverReport } from '../../hand-over/hand-over-report.ts';

const Count = Type.Integer({ minimum: 0 });
const Time = (description: string) =>
  Type.Optional(Type.Integer({ description: `${description}, in ms since the epoch.` }));

export const HandOverJson = Type.Object({
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

export function handOverJson({ handOver, status, logins, byAlgorithm, movedByDay, advice }: HandOverReport) {
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

export const PreflightJson = Type.Object({
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
