import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { logWhenDone } from './request-log.ts';

/** Throws where a request is not to be handled. */
export type RequestCheck = (request: FastifyRequest, reply: FastifyReply) => void;

/** Logs every request, and puts it to the checks in their order before its body is read: the first that throws is the answer. */
export function checkRequests(app: FastifyInstance, checks: readonly RequestCheck[]): void {
  app.addHook('onRequest', async (request, reply) => logWhenDone(request, reply));
  // Not in the hook before: by now Node has read the body as far as it came with the head, which body-timeout.ts must know.
  app.addHook('onRequest', async (request, reply) => {
    for (const check of checks) check(request, reply);
  });
}
