import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { HttpServers } from './http-servers.ts';

/**
 * Once a stop begins, each connection ends with its next answer: callers would use it until it
 * breaks.
 */
export function closeWithoutDelay(
  app: FastifyInstance,
  servers: HttpServers,
  isDraining: () => boolean = () => false,
): void {
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
    servers.closeOthers();
  });
  // While connections are still accepted, an answer to an unfinished body does not close the connection: the
  // caller might lose the answer.
  app.decorate('isLastAnswer', ({ raw }: FastifyRequest) => isClosing || (isDraining() && raw.complete));
  // The stop would otherwise wait until the clients end their connections.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (app.isLastAnswer(request)) void reply.header('connection', 'close');
    done(null, payload);
  });
}
