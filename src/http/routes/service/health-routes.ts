import { Type } from '@sinclair/typebox';
import { defineRoute } from '../define-route.ts';

const HealthJson = Type.Object({
  status: Type.String({ enum: ['ok', 'unavailable'] }),
  reason: Type.Optional(Type.String({ enum: ['draining', 'database'] })),
});

/** Does not query the database, because restarting this process would not repair the database. */
export const liveRoute = defineRoute({
  schema: { tags: ['service'], summary: 'Is the process alive?', response: { 200: HealthJson } },
  handler: () => async () => ({ status: 'ok' }),
});

/** Need not check the tables, because the service listens only after the migrations. */
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
