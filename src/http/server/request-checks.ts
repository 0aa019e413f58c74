import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { logWhenDone } from './request-log.ts';

/** Throws if a request must not be handled. */
type RequestCheck = (request: FastifyRequest, reply: FastifyReply) => void;

/** Returns a check that leaves out requests that are forwarded to the core, which does the same check. */
export const exceptForwarded =
  (check: RequestCheck): RequestCheck =>
  (request, reply) => {
    if (!request.routeOptions.config.isForwarded) check(request, reply);
  };

/** Logs every request and runs the checks in their order, before the body is read. The first that throws makes the answer. */
export function checkRequests(app: FastifyInstance, checks: readonly RequestCheck[]): void {
  app.addHook('onRequest', async (request, reply) => logWhenDone(request, reply));
  // A hook of its own: by now Node has read the body as far as it came with the head, which body-timeout.ts looks at.
  app.addHook('onRequest', async (request, reply) => {
    for (const check of checks) check(request, reply);
  });
}
