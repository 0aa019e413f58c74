import type { FastifyReply, FastifyRequest } from 'fastify';

/** The status that nginx logs for a caller who hung up before the answer. */
const CLIENT_CLOSED_REQUEST = 499;

/**
 * Counts the request and logs one line when the request is answered or its caller has gone; Fastify's onResponse does not tell of the latter.
 * The line never has a body, a query string or a header, any of which may hold a secret.
 */
export function logWhenDone(request: FastifyRequest, reply: FastifyReply): void {
  let isLogged = false;
  const log = (status: number) => {
    if (isLogged) return;
    isLogged = true;
    request.server.meter.add(request, status, reply.elapsedTime);
    const route = request.is404 ? undefined : request.routeOptions.url;
    // Probes come every few seconds, for ever.
    const level = route?.startsWith('/health/') ? 'debug' : 'info';
    request.log[level](
      {
        method: request.method,
        route,
        status,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        hashAlgorithm: request.hashAlgorithm,
      },
      'request',
    );
  };
  reply.raw.once('finish', () => log(reply.statusCode)).once('close', () => log(CLIENT_CLOSED_REQUEST));
}
