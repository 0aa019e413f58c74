import type { FastifyBaseLogger } from 'fastify';
import { movesUsers } from '../hooks/moves.ts';
import { IMPORT_ID_PATTERN } from '../imports/import-request.ts';
import { parseUserPayloads } from '../imports/input/read-line.ts';
import { AppError } from '../lib/errors.ts';
import type { App, RouteDeps } from './context.ts';
import { DOCUMENTED_AS, documentApi } from './openapi/openapi.ts';
import { importsPage } from './page/imports-page.ts';
import { addRoutes } from './routes/define-route.ts';
import { ROUTES } from './routes/index.ts';
import { acceptJsonOnly, acceptNdjsonStreams, BodyTimeout } from './server/bodies.ts';
import { createFastify } from './server/create-fastify.ts';
import { sendError } from './server/error-handler.ts';
import { closeWithoutDelay } from './server/http-servers.ts';
import {
  announceCalls,
  checkCdiVersion,
  checkHead,
  checkRequests,
  exceptForwarded,
  keepPrivate,
} from './server/request-checks.ts';
import { type ApiKeys, RouteChecks, RouteTable } from './server/route-checks.ts';
import { TenantPaths } from './server/tenant-paths.ts';
import { addForwarding, reachInFront } from './upstream/add-forwarding.ts';

export interface AppOptions extends RouteDeps {
  keys: ApiKeys;
  logger: FastifyBaseLogger;
  /** Maximum size of a body, in bytes, unless the route permits more. */
  bodyLimitBytes: number;
  /** Time limit for the head of a request to arrive, and then for its body unless it is streamed. */
  requestTimeoutMs: number;
  version: string;
  /** Aborted once the service is stopping. Then each response closes its connection. */
  draining: AbortSignal;
}

/** Builds the Fastify app of the service, which does not listen yet. Tests use the same function. */
export async function buildApp(options: AppOptions): Promise<App> {
  // One pattern is enough: path parameters are ids of imports, or of hand-overs, which match it, too.
  const table = new RouteTable(IMPORT_ID_PATTERN);
  const { front, logger, metrics, bodyLimitBytes, requestTimeoutMs } = options;
  const tenants = new TenantPaths(table, front && reachInFront);
  const routes = new RouteChecks(table, options.keys);
  const bodyTimeout = new BodyTimeout(requestTimeoutMs);
  const app: App = createFastify({
    ...{ logger, metrics, bodyLimitBytes, requestTimeoutMs, tenants, bodyTimeout },
    schemaKeywords: [DOCUMENTED_AS],
  });
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
  closeWithoutDelay(app, options.draining);
  app.addHook('onClose', async () => app.troubles.flush());
  app.setErrorHandler((error: Error, request, reply) => sendError(request, reply, error));
  app.setNotFoundHandler(() => {
    throw new AppError('NOT_FOUND', 'Not found');
  });

  if (front) addForwarding(app, front, routes);
  await documentApi(app, options.version);
  if (options.pageEnabled) {
    const { servedHooks } = options;
    await app.register(importsPage, {
      moves: [
        ...([...servedHooks].some(movesUsers) ? ['hooks' as const] : []),
        ...(servedHooks.has('rehearse') ? ['rehearsal' as const] : []),
        ...(front ? ['core' as const] : []),
      ],
    });
  }
  const rows = ROUTES.filter(
    ({ inFrontOfCore, hook }) =>
      (front === undefined || inFrontOfCore !== 'core') &&
      (hook === undefined || options.servedHooks.has(hook)),
  );
  await addRoutes(app, rows, options);
  return app;
}
