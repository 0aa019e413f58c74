import { Type } from '@sinclair/typebox';
import type { App } from '../../context.ts';

/** Why this instance should get no traffic now; undefined: it should. */
export type Readiness = () => Promise<'draining' | 'database' | undefined>;

const Health = Type.Object({
  status: Type.String({ enum: ['ok', 'unavailable'] }),
  reason: Type.Optional(Type.String({ enum: ['draining', 'database'] })),
});

/** Probes. `live`: the process runs. `ready`: the database answers and no stop has begun; nothing listens before the schema is up to date. */
export async function healthRoutes(app: App, { readiness }: { readiness: Readiness }): Promise<void> {
  app.get(
    '/health/live',
    {
      config: { open: true },
      schema: { tags: ['service'], summary: 'Is the process alive?', response: { 200: Health } },
    },
    async () => ({ status: 'ok' }),
  );
  app.get(
    '/health/ready',
    {
      config: { open: true },
      schema: {
        tags: ['service'],
        summary: 'Should it get traffic?',
        response: { 200: Health, 503: Health },
      },
    },
    async (_request, reply) => {
      const reason = await readiness();
      if (reason === undefined) return { status: 'ok' };
      return reply.code(503).send({ status: 'unavailable', reason });
    },
  );
}
