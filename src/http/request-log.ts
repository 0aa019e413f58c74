import type { FastifyReply, FastifyRequest } from 'fastify';

/** One line a request. What is in it is all there is: no body, no query string, no header. */
export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  request.log.info(
    {
      method: request.method,
      route: request.is404 ? undefined : request.routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      hashAlgorithm: request.hashAlgorithm,
    },
    'request',
  );
}
