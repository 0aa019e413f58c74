import { Type } from '@sinclair/typebox';
import { defineRoute } from '../define-route.ts';

/** Lets SDKs and load balancers check that the service is reachable, with any method. */
export const helloRoute = defineRoute({
  schema: {
    tags: ['service'],
    summary: 'Answers `Hello`, also to other methods and at the path /',
    produces: ['text/plain'],
    response: { 200: Type.String({ const: 'Hello' }) },
  },
  handler: () => async (_request, reply) => {
    void reply.type('text/plain; charset=utf-8');
    return 'Hello';
  },
});
