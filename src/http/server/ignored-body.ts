import type { FastifyInstance } from 'fastify';

/** Lets the routes of this scope be sent any body, which is read to its end and thrown away. */
export function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume().once('end', () => done(null));
  });
}
