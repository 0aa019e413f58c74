import { Type } from '@sinclair/typebox';
import { reportHandOver } from '../../../hand-over/hand-over-report.ts';
import { inspectHandOver, startHandOver } from '../../../hand-over/start-hand-over.ts';
import { HandOverJson, handOverJson, PreflightJson } from '../../protocol/hand-over-json.ts';
import { defineRoute } from '../define-route.ts';
import { requireFront } from './require-front.ts';

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
