import { Type } from '@sinclair/typebox';
import { METRICS_TYPE } from '../../lib/metrics.ts';
import { HOME_HEADERS, homePage } from '../page/home-page.ts';
import { ok, oneOf, optional } from '../protocol/schema.ts';
import { CDI_VERSIONS } from '../server/request-checks.ts';
import { defineRoute } from './define-route.ts';

/**
 * Lets SDKs and load balancers check, with any method, that the service is reachable. A browser gets a page with links.
 */
export const helloRoute = defineRoute({
  tags: ['service'],
  summary: 'Answers `Hello`, also to other methods and at the path /, where a browser gets a page with links',
  produces: ['text/plain'],
  answer: Type.String({ const: 'Hello' }),
}).handle(async ({ method, routeOptions, headers }, { pageEnabled }, reply) => {
  if (method === 'GET' && routeOptions.url === '/' && headers.accept?.includes('text/html'))
    return reply.headers(HOME_HEADERS).type('text/html; charset=utf-8').send(homePage(pageEnabled));
  void reply.type('text/plain; charset=utf-8');
  return 'Hello';
});

export const apiKeyRoute = defineRoute({
  tags: ['service'],
  summary: 'Returns the name and the rights of the API key in the request',
  answer: ok({
    name: Type.String(),
    allow: Type.Array(Type.String(), { description: 'See docs/api-keys.md.' }),
  }),
}).handle(async ({ apiKeyName = '', apiKeyRights = [] }) => ({
  status: 'OK',
  name: apiKeyName,
  allow: apiKeyRights,
}));

export const apiVersionRoute = defineRoute({
  tags: ['service'],
  summary: 'Returns the CDI versions that this service supports',
  answer: Type.Object({ versions: Type.Array(Type.String()) }),
}).handle(async () => ({ versions: CDI_VERSIONS }));

export const metricsRoute = defineRoute({
  tags: ['service'],
  summary: 'Metrics of this instance in the Prometheus text format',
  produces: ['text/plain'],
  answer: Type.String(),
}).handle(async (_request, { metrics }, reply) => {
  void reply.type(METRICS_TYPE);
  return metrics.text();
});

const HealthJson = Type.Object({
  status: oneOf(['ok', 'unavailable']),
  reason: optional(oneOf(['draining', 'database'])),
});

/** Liveness probe. It does not query the database, because restarting this process would not repair the database. */
export const liveRoute = defineRoute({
  tags: ['service'],
  summary: 'Is the process alive?',
  answer: HealthJson,
}).handle(async () => ({ status: 'ok' }));

/** Readiness probe. It need not check the tables, because the service listens only after the migrations. */
export const readyRoute = defineRoute({
  tags: ['service'],
  summary: 'Should it get traffic?',
  answer: HealthJson,
  otherAnswers: { 503: HealthJson },
}).handle(async (_request, { readiness }, reply) => {
  const reason = await readiness();
  if (reason === undefined) return { status: 'ok' };
  return reply.code(503).send({ status: 'unavailable', reason });
});
