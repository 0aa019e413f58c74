import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { logWhenDone } from './request-log.ts';

/** Function that throws if a request must not be handled. */
type RequestCheck = (request: FastifyRequest, reply: FastifyReply) => void;

/** Returns a check that skips requests which are forwarded to the core. The core does the same check. */
export const exceptForwarded =
  (check: RequestCheck): RequestCheck =>
  (request, reply) => {
    if (!request.routeOptions.config.isForwarded) check(request, reply);
  };

/** Logs every request, and runs the checks in order before the body is read. The first error becomes the answer. */
export function checkRequests(app: FastifyInstance, checks: readonly RequestCheck[]): void {
  app.addHook('onRequest', async (request, reply) => logWhenDone(request, reply));
  // A separate hook: body-timeout.ts needs the part of the body that came with the head, which Node has read by now.
  app.addHook('onRequest', async (request, reply) => {
    for (const check of checks) check(request, reply);
  });
}
