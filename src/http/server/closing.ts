import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { HttpServers } from './http-servers.ts';

/**
 * Refuses new connections while the service closes, and ends kept connections with their next answer. Kept connections end with their next
 * answer from the moment a stop begins, because their callers would otherwise send here until the connection breaks.
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
  // While there is time, not under a body that is still sent: the caller might never see the answer.
  app.decorate('isLastAnswer', ({ raw }: FastifyRequest) => isClosing || (isDraining() && raw.complete));
  // Kept connections would hold up the close until their clients let go of them.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (app.isLastAnswer(request)) void reply.header('connection', 'close');
    done(null, payload);
  });
}
