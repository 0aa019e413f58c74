import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { type TSchema, Type } from '@sinclair/typebox';
import type {
  ContextConfigDefault,
  FastifyBaseLogger,
  FastifyError,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
  RouteOptions,
} from 'fastify';
import type { Hook } from '../../hooks/moves.ts';
import { AppError, type ErrorCode } from '../../lib/errors.ts';
import type { App, RouteDeps } from '../context.ts';
import { onGone } from '../server/connections.ts';
import type { Fault, RoutePolicy } from '../server/route-checks.ts';

export interface RouteTools {
  /** Aborts with the error SHUTTING_DOWN and `message` when the service begins to stop. */
  stopSignal(message: string): AbortSignal;
  /**
   * Applies the route's limit of concurrent requests. For routes with streamed bodies only; for others, this
   * happens before the body is read.
   * @throws {AppError} OVERLOADED
   */
  admit(reply: FastifyReply): void;
}

/** Schema of an answer that the handler writes as JSON text, so that stored JSON is sent unchanged. */
export const AsText = (schema: TSchema) => Type.Unsafe<string>(schema);

/** Schema of NDJSON lines. Fastify cannot check their content. */
export const lines = (description: string) => ({
  description,
  content: { 'application/x-ndjson': { schema: Type.Unsafe<Readable>({ description }) } },
});

type Handler<Schema extends FastifySchema> = RouteHandlerMethod<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  RouteGenericInterface,
  ContextConfigDefault,
  Schema,
  TypeBoxTypeProvider,
  FastifyBaseLogger
>;

/** Options of a route that is a hook (hooks/define-hook.ts). */
interface HookOptions {
  hook: Hook;
  fault: Fault;
  errorHandler(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void;
}

export interface RouteDefinition<Schema extends FastifySchema> {
  /** Fastify checks requests and serialises answers by the schema, and the interface description shows it. */
  schema: Schema;
  errors?: readonly ErrorCode[];
  /** Called only when the service starts, once for each path and method. */
  handler(deps: RouteDeps, tools: RouteTools): Handler<Schema>;
  hook?: HookOptions;
}

/** Options of a Fastify route that are derived from its row in routes/index.ts. */
export type RoutePlace = Pick<RouteOptions, 'method' | 'url' | 'config' | 'bodyLimit' | 'onRequest'>;

/** Schema and handler of an endpoint. Its row in routes/index.ts has the path, the right and the limits. */
export interface Route {
  schema: FastifySchema;
  errors: readonly ErrorCode[];
  /** Set if the route is served only as the setting `password_hooks` says. */
  hook: Hook | undefined;
  addTo(app: App, place: RoutePlace, deps: RouteDeps, tools: RouteTools): void;
}

export function defineRoute<const Schema extends FastifySchema>({
  schema,
  errors = [],
  handler,
  hook,
}: RouteDefinition<Schema>): Route {
  return {
    schema,
    errors,
    hook: hook?.hook,
    addTo(app, place, deps, tools) {
      app.route<RouteGenericInterface, ContextConfigDefault, Schema>({
        ...place,
        ...(hook && {
          config: { ...place.config, hook: hook.hook, fault: hook.fault },
          errorHandler: hook.errorHandler,
        }),
        schema,
        handler: handler(deps, tools),
      });
    },
  };
}

export type RouteMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface RouteBounds {
  /** Maximum size of the body. A larger `body_limit_bytes` takes precedence. */
  bodyLimitBytes?: number;
  /** Maximum size of the body, whatever `body_limit_bytes` is. */
  fixedLimitBytes?: number;
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
  const { bodyLimitBytes = 0, fixedLimitBytes, atOnce } = bounds;
  const admit = atOnce && limitRequests(deps.bulk[atOnce.most], atOnce.tooMany);
  const admitsItself = policy.body === 'ndjson stream';
  for (const [index, { method, url }] of endpointsOf({ methods, paths }).entries()) {
    const place: RoutePlace = {
      method,
      url,
      config: { ...policy, errors: route.errors, undescribed: index > 0 },
      bodyLimit: fixedLimitBytes ?? Math.max(bodyLimitBytes, app.initialConfig.bodyLimit ?? 0),
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
