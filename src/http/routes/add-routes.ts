import type { FastifyReply } from 'fastify';
import { AppError } from '../../lib/errors.ts';
import type { App, RouteDeps } from '../context.ts';
import { onGone } from '../server/client-gone.ts';
import type { RoutePolicy } from '../server/route-checks.ts';
import type { Route, RoutePlace } from './define-route.ts';

export type RouteMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface RouteBounds {
  /** Maximum size of the body. A larger `body_limit_bytes` takes precedence. */
  bodyLimitBytes?: number;
  /** `tooMany` is the message with which further requests are refused (503). */
  atOnce?: { most: 'maxStreams' | 'maxExports'; tooMany: string };
}

export interface RouteRow extends RoutePolicy {
  /** If there are several methods or paths, the interface description has the first only. */
  methods: readonly RouteMethod[];
  paths: readonly string[];
  bounds: RouteBounds;
  /** Whether this service (`here`) or the SuperTokens core answers, if a core is configured. */
  inFrontOfCore: 'here' | 'core';
  route: Route;
}

/** Adds the routes of the table in routes/index.ts. Only the table decides about paths, rights and limits. */
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
  const admit = atOnce && limitRequests(deps.bulk[atOnce.most], atOnce.tooMany);
  const admitsItself = policy.body === 'ndjson stream';
  for (const [index, { method, url }] of endpointsOf({ methods, paths }).entries()) {
    const place: RoutePlace = {
      method,
      url,
      config: { ...policy, errors: route.errors, undescribed: index > 0 },
      bodyLimit: Math.max(bodyLimitBytes, app.initialConfig.bodyLimit ?? 0),
      // The limit applies before the body is read, because each body may take much memory.
      ...(admit && !admitsItself && { onRequest: async (_request, reply) => admit(reply) }),
    };
    route.addTo(app, place, deps, {
      stopSignal: (message) => stopSignal(app, message),
      admit: (reply) => admit?.(reply),
    });
  }
}

/**
 * Returns a function that counts a request until it ends. Further requests are refused (OVERLOADED), because they would
 * use memory while they wait.
 */
function limitRequests(most: number, tooMany: string): (reply: FastifyReply) => void {
  let admitted = 0;
  return (reply) => {
    if (admitted >= most) throw new AppError('OVERLOADED', `Service is overloaded: ${tooMany}`);
    admitted += 1;
    onGone(reply, () => {
      admitted -= 1;
    });
  };
}

export const endpointsOf = ({ methods, paths }: Pick<RouteRow, 'methods' | 'paths'>) =>
  paths.flatMap((url) => methods.map((method) => ({ method, url })));

function ignoreBodies(app: App): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume().once('end', () => done(null));
  });
}

function stopSignal(app: App, message: string): AbortSignal {
  const stopping = new AbortController();
  app.addHook('preClose', async () => stopping.abort(new AppError('SHUTTING_DOWN', message)));
  return stopping.signal;
}
