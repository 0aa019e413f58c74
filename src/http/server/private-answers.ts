import type { FastifyReply, FastifyRequest } from 'fastify';

export const PRIVATE_ANSWER = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/**
 * Answers hold data of users, and caches do not take the `api-key` header into account: they could give one
 * client's answer to another. Pages that may be cached set their own headers.
 */
export function keepPrivate(_request: FastifyRequest, reply: FastifyReply): void {
  void reply.headers(PRIVATE_ANSWER);
}
