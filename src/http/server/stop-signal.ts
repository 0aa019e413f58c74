import type { FastifyInstance } from 'fastify';
import { AppError } from '../../lib/errors.ts';

/** Aborts with SHUTTING_DOWN and this message when the service begins to stop. */
export function stopSignal(app: FastifyInstance, message: string): AbortSignal {
  const stopping = new AbortController();
  app.addHook('preClose', async () => stopping.abort(new AppError('SHUTTING_DOWN', message)));
  return stopping.signal;
}
