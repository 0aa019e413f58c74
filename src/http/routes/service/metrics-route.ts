import { Type } from '@sinclair/typebox';
import { METRICS_TYPE } from '../../../lib/metrics.ts';
import { defineRoute } from '../define-route.ts';

export const metricsRoute = defineRoute({
  schema: {
    tags: ['service'],
    summary: 'Metrics of this instance in the Prometheus text format',
    produces: ['text/plain'],
    response: { 200: Type.String() },
  },
  handler:
    ({ metrics }) =>
    async (_request, reply) => {
      void reply.type(METRICS_TYPE);
      return metrics.text();
    },
});
