import { Type } from '@sinclair/typebox';
import { METRICS_TYPE } from '../../lib/metrics.ts';
import { HOME_HEADERS, homePage } from '../page/home-page.ts';
import { CDI_VERSIONS } from '../server/request-checks.ts';
import { defineRoute } from './define-route.ts';

/** Lets SDKs and load balancers check that the service is reachable, with any method. A browser gets links. */
export const helloRoute = defineRoute({
  schema: {
    tags: ['service'],
    summary:
      'Answers `Hello`, also to other methods and at the path /, where a browser gets a page with links',
    produces: ['text/plain'],
    response: { 200: Type.String({ const: 'Hello' }) },
  },
  handler: ({ pageEnabled }) => {
    const home = homePage(pageEnabled);
    return async ({ method, routeOptions, headers }, reply) => {
      if (method === 'GET' && routeOptions.url === '/' && headers.accept?.includes('text/html'))
        return reply.headers(HOME_HEADERS).type('text/html; charset=utf-8').send(home);
      void reply.type('text/plain; charset=utf-8');
      return 'Hello';
    };
  },
});

export const apiKeyRoute = defineRoute({
  schema: {
    tags: ['service'],
    summary: 'Returns the name and the rights of the API key in the request',
    response: {
      200: Type.Object({
        status: Type.Literal('OK'),
        name: Type.String(),
        allow: Type.Array(Type.String(), { description: 'See docs/api-keys.md.' }),
      }),
    },
  },
  handler:
    () =>
    async ({ apiKeyName = '', apiKeyRights = [] }) => ({
      status: 'OK' as const,
      name: apiKeyName,
      allow: [...apiKeyRights],
    }),
});

export const apiVersionRoute = defineRoute({
  schema: {
    tags: ['service'],
    summary: 'Returns the CDI versions that this service supports',
    response: { 200: Type.Object({ versions: Type.Array(Type.String()) }) },
  },
  handler: () => async () => ({ versions: [...CDI_VERSIONS] }),
});

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

const HealthJson = Type.Object({
  status: Type.String({ enum: ['ok', 'unavailable'] }),
  reason: Type.Optional(Type.String({ enum: ['draining', 'database'] })),
});

/** Does not query the database, because restarting this process would not repair the database. */
export const liveRoute = defineRoute({
  schema: { tags: ['service'], summary: 'Is the process alive?', response: { 200: HealthJson } },
  handler: () => async () => ({ status: 'ok' }),
});

/** Need not check the tables, because the service listens only after the migrations. */
export const readyRoute = defineRoute({
  schema: {
    tags: ['service'],
    summary: 'Should it get traffic?',
    response: { 200: HealthJson, 503: HealthJson },
  },
  handler:
    ({ readiness }) =>
    async (_request, reply) => {
      const reason = await readiness();
      if (reason === undefined) return { status: 'ok' };
      return reply.code(503).send({ status: 'unavailable', reason });
    },
});
