import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { logWhenDone } from './request-log.ts';

/** Check of a request before it is handled: throws if it must be refused. */
type RequestCheck = (request: FastifyRequest, reply: FastifyReply) => void;

/**
 * Returns the check for requests that this service answers itself. Requests that are forwarded are skipped:
 * the core checks them.
 */
export const exceptForwarded =
  (check: RequestCheck): RequestCheck =>
  (request, reply) => {
    if (!request.routeOptions.config.isForwarded) check(request, reply);
  };

/**
 * Logs every request, and runs the checks in order before its body is read. The first check that throws
 * decides the answer.
 */
export function checkRequests(app: FastifyInstance, checks: readonly RequestCheck[]): void {
  app.addHook('onRequest', async (request, reply) => logWhenDone(request, reply));
  // The checks have a hook of their own. By the time it runs, Node has read the part of the body that came
  // with the headers, which body-timeout.ts needs.
  app.addHook('onRequest', async (request, reply) => {
    for (const check of checks) check(request, reply);
  });
}
