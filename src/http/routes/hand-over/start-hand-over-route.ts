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
      'The work is done in the background, and goes on after any break. If a hand-over has not ended yet, it is continued and returned. Users whom the core has already are left out.',
    body: Type.Object({
      dryRun: Type.Optional(
        Type.Boolean({ description: 'Only look at the users and at the core.', default: false }),
      ),
      unlinked: Type.Boolean({
        description:
          'Each login method becomes a user of its own in the core. Otherwise login methods stay together.',
      }),
    }),
    response: {
      200: Type.Object({
        status: Type.Literal('OK'),
        preflight: PreflightJson,
        isNew: Type.Optional(Type.Boolean({ description: 'False if a hand-over was running already.' })),
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
