import { AppError } from '../../lib/errors.ts';
import type { App, RouteDeps } from '../context.ts';
import { RequestLimit } from '../server/request-limit.ts';
import type { RoutePolicy } from '../server/route-policy.ts';
import type { Route, RoutePlace } from './define-route.ts';

export type RouteMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Limits of one route. The settings have limits for all routes. */
export interface RouteBounds {
  /** Maximum number of bytes of a request body on this route, if it is larger than `body_limit_bytes`. */
  bodyLimitBytes?: number;
  /** Maximum number of concurrent requests. Further requests are answered with status 503 and this reason. */
  atOnce?: { most: 'maxStreams' | 'maxExports'; tooMany: string };
}

export interface RouteRow extends RoutePolicy {
  /** Methods of the endpoint. If there are several methods or paths, only the first is in the interface description. */
  methods: readonly RouteMethod[];
  paths: readonly string[];
  bounds: RouteBounds;
  /** Which service answers if a SuperTokens core is configured: this one (`here`) or the core. */
  inFrontOfCore: 'here' | 'core';
  route: Route;
}

/** Adds the routes as their rows describe them. Paths, rights and limits are not decided anywhere else. */
export async function addRoutes(app: App, rows: readonly RouteRow[], deps: RouteDeps): Promise<void> {
  // Each route gets a Fastify scope of its own, so that its body parser applies to no other route.
  for (const row of rows) await app.register(async (scope) => addRow(scope, row, deps));
}

function addRow(
  app: App,
  { methods, paths, bounds, route, inFrontOfCore: _, ...policy }: RouteRow,
  deps: RouteDeps,
): void {
  if (policy.body === 'any') ignoreBodies(app);
  const { bodyLimitBytes = 0, atOnce } = bounds;
  const places = atOnce && new RequestLimit(deps.bulk[atOnce.most], atOnce.tooMany);
  const admitsItself = policy.body === 'ndjson stream';
  for (const [index, { method, url }] of endpointsOf({ methods, paths }).entries()) {
    const place: RoutePlace = {
      method,
      url,
      config: { ...policy, errors: route.errors, undescribed: index > 0 },
      bodyLimit: Math.max(bodyLimitBytes, app.initialConfig.bodyLimit ?? 0),
      // This hook runs before the body is read, because each body may take much memory.
      ...(places && !admitsItself && { onRequest: async (_request, reply) => places.admit(reply) }),
    };
    route.addTo(app, place, deps, {
      stopSignal: (message) => stopSignal(app, message),
      admit: (reply) => places?.admit(reply),
    });
  }
}

/** Returns one endpoint for each combination of the row's methods and paths. */
export const endpointsOf = ({ methods, paths }: Pick<RouteRow, 'methods' | 'paths'>) =>
  paths.flatMap((url) => methods.map((method) => ({ method, url })));

/** Lets the routes of this scope accept any body. It is read to its end and discarded. */
function ignoreBodies(app: App): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume().once('end', () => done(null));
  });
}

/** Returns a signal that aborts with SHUTTING_DOWN and this message when the service begins to stop. */
function stopSignal(app: App, message: string): AbortSignal {
  const stopping = new AbortController();
  app.addHook('preClose', async () => stopping.abort(new AppError('SHUTTING_DOWN', message)));
  return stopping.signal;
}
