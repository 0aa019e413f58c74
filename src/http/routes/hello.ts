import { Type } from '@sinclair/typebox';
import type { App } from '../context.ts';

/** `Hello`, for any of four methods and whatever body: how SDKs and load balancers see that something is here. */
export async function helloRoutes(app: App): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume().once('end', () => done(null));
  });
  for (const url of ['/', '/hello']) {
    app.route({
      method: ['GET', 'POST', 'PUT', 'DELETE'],
      url,
      config: { open: true },
      schema: {
        tags: ['service'],
        summary: 'Greets',
        produces: ['text/plain'],
        response: { 200: Type.String({ const: 'Hello' }) },
      },
      handler: async (_request, reply) => {
        void reply.type('text/plain; charset=utf-8');
        return 'Hello';
      },
    });
  }
}
