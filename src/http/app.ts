import type { FastifyBaseLogger } from 'fastify';
import { IMPORT_ID_PATTERN } from '../imports/import-request.ts';
import { parseUserPayloads } from '../imports/input/parse-user-payloads.ts';
import { AppError } from '../lib/errors.ts';
import type { App, RouteDeps } from './context.ts';
import { DOCUMENTED_AS } from './openapi/documented.ts';
import { documentApi } from './openapi/openapi.ts';
import { importsPage } from './page/imports-page.ts';
import { addRoutes } from './routes/add-routes.ts';
import { ROUTES } from './routes/index.ts';
import type { ApiKeys } from './server/api-keys.ts';
import { BodyTimeout } from './server/body-timeout.ts';
import { announceCalls } from './server/call-pace.ts';
import { checkCdiVersion } from './server/cdi-version.ts';
import { closeWithoutDelay } from './server/closing.ts';
import { createFastify } from './server/create-fastify.ts';
import { sendError } from './server/error-handler.ts';
import { HttpServers } from './server/http-servers.ts';
import { acceptJsonOnly } from './server/json-body.ts';
import { acceptNdjsonStreams } from './server/ndjson-body.ts';
import { keepPrivate } from './server/private-answers.ts';
import { checkRequests, exceptForwarded } from './server/request-checks.ts';
import { checkHead } from './server/request-head.ts';
import { RequestMeter } from './server/request-meter.ts';
import { decorate } from './server/request-state.ts';
import { RouteChecks } from './server/route-checks.ts';
import { RouteTable } from './server/route-table.ts';
import { TenantPaths } from './server/tenant-paths.ts';
import { TroubleLog } from './server/trouble-log.ts';
import { WholeBodies } from './server/whole-bodies.ts';
import { addForwarding, reachInFront } from './upstream/add-forwarding.ts';

export interface AppOptions extends RouteDeps {
  keys: ApiKeys;
  logger: FastifyBaseLogger;
  /** Unless the route permits more. */
  bodyLimitBytes: number;
  /** Time limit for the head of a request to arrive, and then for its body unless it is streamed. */
  requestTimeoutMs: number;
  version: string;
  pageEnabled: boolean;
  /** Whether the service is stopping. Then each response closes its connection. */
  isDraining?(): boolean;
}

const GREETINGS: ReadonlySet<string> = new Set(['/', '/hello']);

/** Builds the Fastify app of the service, which does not listen yet. Tests use the same function. */
export async function buildApp(options: AppOptions): Promise<App> {
  // One pattern is enough: path parameters are ids of imports, or of hand-overs, which match it, too.
  const table = new RouteTable(IMPORT_ID_PATTERN);
  const { front } = options;
  // In front of a core, no app or tenant in a path may make a call of this service one of the core. The core has
  // the greeting of its own tenants.
  const tenants = new TenantPaths((path) => {
    if (table.has(path)) return front !== undefined && GREETINGS.has(path) ? 'public tenant' : 'everywhere';
    return front && reachInFront(path);
  });
  const routes = new RouteChecks(table, options.keys);
  const bodyTimeout = new BodyTimeout(options.requestTimeoutMs);
  const servers = new HttpServers(options.requestTimeoutMs);
  const troubles = new TroubleLog(options.logger);
  const app: App = createFastify({
    ...options,
    servers,
    tenants,
    bodyTimeout,
    schemaKeywords: [DOCUMENTED_AS],
  });

  const bodies = new WholeBodies(options.bodyLimitBytes);
  decorate(app, { servers, troubles, meter: new RequestMeter(options.metrics), bodies });
  acceptJsonOnly(app, parseUserPayloads);
  acceptNdjsonStreams(app, bodyTimeout);
  app.addHook('onRoute', (route) => {
    if (!route.config?.isForwarded) table.add(route);
  });
  checkRequests(app, [
    keepPrivate,
    bodyTimeout.start,
    checkHead,
    exceptForwarded(routes.checkPath),
    routes.checkKey,
    exceptForwarded(routes.checkMethod),
    exceptForwarded(tenants.check),
    exceptForwarded(checkCdiVersion),
    announceCalls(options.pace),
  ]);
  closeWithoutDelay(app, servers, options.isDraining);
  app.addHook('onClose', async () => troubles.flush());
  app.setErrorHandler((error: Error, request, reply) => sendError(request, reply, error));
  app.setNotFoundHandler(() => {
    throw new AppError('NOT_FOUND', 'Not found');
  });

  if (front) addForwarding(app, front, routes);
  await documentApi(app, options.version);
  if (options.pageEnabled) await app.register(importsPage);
  const rows = front ? ROUTES.filter(({ inFrontOfCore }) => inFrontOfCore === 'here') : ROUTES;
  await addRoutes(app, rows, options);
  return app;
}
