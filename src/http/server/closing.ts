import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { HttpServers } from './http-servers.ts';

/**
 * Refuses new connections while the service closes. From the moment a stop begins, each open connection ends
 * with its next answer, because callers would otherwise use it until it breaks.
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
  // While the service still accepts connections, an answer to a request whose body is still being sent does
  // not close the connection, because the caller might lose the answer.
  app.decorate('isLastAnswer', ({ raw }: FastifyRequest) => isClosing || (isDraining() && raw.complete));
  // The stop would otherwise wait until the clients end their connections.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (app.isLastAnswer(request)) void reply.header('connection', 'close');
    done(null, payload);
  });
}
