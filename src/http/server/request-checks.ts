import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { logWhenDone } from './request-log.ts';

type RequestCheck = (request: FastifyRequest, reply: FastifyReply) => void;

/** Skips requests that are forwarded: the core checks them. */
export const exceptForwarded =
  (check: RequestCheck): RequestCheck =>
  (request, reply) => {
    if (!request.routeOptions.config.isForwarded) check(request, reply);
  };

/** Logs every request, and runs the checks in order before its body is read. */
export function checkRequests(app: FastifyInstance, checks: readonly RequestCheck[]): void {
  app.addHook('onRequest', async (request, reply) => logWhenDone(request, reply));
  // This second hook runs after Node has read the part of the body that came with the headers, which
  // body-timeout.ts needs.
  app.addHook('onRequest', async (request, reply) => {
    for (const check of checks) check(request, reply);
  });
}
