import { Type } from '@sinclair/typebox';
import type { App } from '../../context.ts';

/** `Hello`, for any of four methods and whatever body: how SDKs and load balancers see that something is here. */
export async function helloRoutes(app: App): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume().once('end', () => done(null));
  });
  const greet = (url: string, method: string[], hide: boolean) =>
    app.route({
      method,
      url,
      config: { open: true },
      schema: {
        hide,
        tags: ['service'],
        summary: 'Greets; so do the other methods, and the path /',
        produces: ['text/plain'],
        response: { 200: Type.String({ const: 'Hello' }) },
      },
      handler: async (_request, reply) => {
        void reply.type('text/plain; charset=utf-8');
        return 'Hello';
      },
    });
  greet('/hello', ['GET'], false);
  // One is enough to read about.
  greet('/hello', ['POST', 'PUT', 'DELETE'], true);
  greet('/', ['GET', 'POST', 'PUT', 'DELETE'], true);
}
