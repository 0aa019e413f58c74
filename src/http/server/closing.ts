import type { FastifyInstance } from 'fastify';
import type { HttpServers } from './http-servers.ts';

/** While the service closes: no more connections, and those that are kept end with their next answer. */
export function closeWithoutDelay(app: FastifyInstance, servers: HttpServers): void {
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
    servers.closeOthers();
  });
  // Kept connections would hold up the close until their clients let go of them.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isClosing) void reply.header('connection', 'close');
    done(null, payload);
  });
}
