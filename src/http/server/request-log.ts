import type { FastifyReply, FastifyRequest } from 'fastify';

/** Logged if the caller disconnected before the answer, as by nginx. */
const CLIENT_CLOSED_REQUEST = 499;

/**
 * Fastify's onResponse does not report that a caller has disconnected. The line never contains a body, a
 * query string or a header, because each may hold a secret.
 */
export function logWhenDone(request: FastifyRequest, reply: FastifyReply): void {
  let isLogged = false;
  const log = (status: number) => {
    if (isLogged) return;
    isLogged = true;
    request.server.bodies.release(request);
    request.server.meter.add(request, status, reply.elapsedTime);
    const route = request.is404 ? undefined : request.routeOptions.url;
    // Health probes arrive every few seconds, so they are logged at a lower level.
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
