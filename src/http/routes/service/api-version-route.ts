import { Type } from '@sinclair/typebox';
import { CDI_VERSIONS } from '../../server/request-checks.ts';
import { defineRoute } from '../define-route.ts';

export const apiVersionRoute = defineRoute({
  schema: {
    tags: ['service'],
    summary: 'Returns the CDI versions that this service supports',
    response: { 200: Type.Object({ versions: Type.Array(Type.String()) }) },
  },
  handler: () => async () => ({ versions: [...CDI_VERSIONS] }),
});
