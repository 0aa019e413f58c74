import type { FastifyInstance } from 'fastify';
import type { HttpServers } from './http-servers.ts';

/**
 * While the service closes: no more connections, and those that are kept end with their next answer. They do so before, too, from
 * when a stop has begun: whoever keeps one would send here until it breaks.
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
  // Kept connections would hold up the close until their clients let go of them.
  app.addHook('onSend', (request, reply, payload, done) => {
    // While there is time, not under a body that is still sent: the caller might never see the answer.
    if (isClosing || (isDraining() && request.raw.complete)) void reply.header('connection', 'close');
    done(null, payload);
  });
}
