import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Answers tell of users and imports to whoever has a key. Caches know no `api-key` header, and would hand what one caller was told
 * to the next; and no browser is to take an answer for anything but what it says it is. Pages that may be kept say so themselves.
 */
export function keepPrivate(_request: FastifyRequest, reply: FastifyReply): void {
  void reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
}
