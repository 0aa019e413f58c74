import { Type } from '@sinclair/typebox';
import { defineRoute } from '../define-route.ts';

const HealthJson = Type.Object({
  status: Type.String({ enum: ['ok', 'unavailable'] }),
  reason: Type.Optional(Type.String({ enum: ['draining', 'database'] })),
});

/** A probe that says nothing of the database: restarting this process would not bring that back. */
export const liveRoute = defineRoute({
  schema: { tags: ['service'], summary: 'Is the process alive?', response: { 200: HealthJson } },
  handler: () => async () => ({ status: 'ok' }),
});

/**
 * A probe that says that the database answers and no stop has begun. It need not ask for the tables: nothing listens
 * before the migrations are done.
 */
export const readyRoute = defineRoute({
  schema: {
    tags: ['service'],
    summary: 'Should it get traffic?',
    response: { 200: HealthJson, 503: HealthJson },
  },
  handler:
    ({ readiness }) =>
    async (_request, reply) => {
      const reason = await readiness();
      if (reason === undefined) return { status: 'ok' };
      return reply.code(503).send({ status: 'unavailable', reason });
    },
});
