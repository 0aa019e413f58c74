import { AppError } from '../../lib/errors.ts';
import type { App, RouteDeps } from '../context.ts';
import { RequestLimit } from '../server/request-limit.ts';
import type { RoutePolicy } from '../server/route-policy.ts';
import type { Route, RoutePlace } from './define-route.ts';

export type RouteMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Bounds of one route, beside those that hold for all of them. */
export interface RouteBounds {
  /** Largest body, where `body_limit_bytes` is smaller. */
  bodyLimitBytes?: number;
  /** Maximum number of concurrent requests. Further requests are answered with status 503 and this reason. */
  atOnce?: { most: 'maxStreams' | 'maxExports'; tooMany: string };
}

export interface RouteRow extends RoutePolicy {
  /** If there are several methods or paths, only the first is in the interface description. */
  methods: readonly RouteMethod[];
  paths: readonly string[];
  bounds: RouteBounds;
  /** Who answers if there is a SuperTokens core behind this service. */
  inFrontOfCore: 'here' | 'core';
  route: Route;
}

/** Adds the routes, each as its row says: nothing about a path, a key or a bound is decided anywhere else. */
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
      // A hook before the body is read: each body may take much memory.
      ...(places && !admitsItself && { onRequest: async (_request, reply) => places.admit(reply) }),
    };
    route.addTo(app, place, deps, {
      stopSignal: (message) => stopSignal(app, message),
      admit: (reply) => places?.admit(reply),
    });
  }
}

/** Returns every method with every path. */
export const endpointsOf = ({ methods, paths }: Pick<RouteRow, 'methods' | 'paths'>) =>
  paths.flatMap((url) => methods.map((method) => ({ method, url })));

/** Lets the routes of this scope be sent any body, which is read to its end and thrown away. */
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
