import { Type } from '@sinclair/typebox';
import { defineRoute } from '../define-route.ts';

/** How SDKs and load balancers see that something is here, whichever method they ask with. */
export const helloRoute = defineRoute({
  schema: {
    tags: ['service'],
    summary: 'Greets; so do the other methods, and the path /',
    produces: ['text/plain'],
    response: { 200: Type.String({ const: 'Hello' }) },
  },
  handler: () => async (_request, reply) => {
    void reply.type('text/plain; charset=utf-8');
    return 'Hello';
  },
});
