import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import type {
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  RawServerDefault,
  RouteGenericInterface,
} from 'fastify';
import { AppError, type ErrorCode } from '../../lib/errors.ts';
import type { App, RouteDeps } from '../context.ts';
import { onGone } from '../server/connections.ts';
import type { RoutePolicy } from '../server/route-checks.ts';

/** Schema of NDJSON lines. Fastify cannot check their content. */
export const lines = (description: string) => ({
  description,
  content: { 'application/x-ndjson': { schema: Type.Unsafe<Readable>({ description }) } },
});

/** Sends JSON that the handler wrote itself, so that stored JSON is sent unchanged. */
export const sendJsonText = (reply: FastifyReply, text: string): FastifyReply =>
  reply.type('application/json; charset=utf-8').send(text);

/** Request whose parts have the types of their schemas. */
type RequestOf<Params, Query, Body> = FastifyRequest<
  RouteGenericInterface,
  RawServerDefault,
  IncomingMessage,
  { params: Params; querystring: Query; body: Body },
  TypeBoxTypeProvider
>;

type ValueOf<Schema> = Schema extends TSchema ? Static<Schema> : unknown;

/** Answer of a handler. Optional members may be undefined, which leaves them out. */
type Returned<Value> = Value extends object
  ? {
      readonly [Name in keyof Value]:
        | Returned<Value[Name]>
        | (object extends Pick<Value, Name> ? undefined : never);
    }
  : Value;

export interface RouteTools {
  /** Aborts with the error SHUTTING_DOWN when the service begins to stop, if the route has a `stopMessage`. */
  stopping: AbortSignal;
  /**
   * Applies the route's limit of concurrent requests. Only routes with streamed bodies call it; for others, the limit
   * is applied before the body is read.
   * @throws {AppError} OVERLOADED
   */
  admit(reply: FastifyReply): void;
}

interface RouteDefinition<Params, Query, Body, Answer>
  extends Pick<FastifySchema, 'tags' | 'summary' | 'description' | 'produces'> {
  /**
   * Schemas of the path parameters, the query and the body. Fastify checks requests and serialises answers by the
   * schemas, and the interface description shows them.
   */
  params?: Params;
  query?: Query;
  body?: Body;
  /**
   * Schema of the answer with status 200. Members of the handler's answer that the schema does not have are left out.
   */
  answer?: Answer;
  /** Answers with other statuses that are no errors. */
  otherAnswers?: Readonly<Record<number, TSchema>>;
  errors?: readonly ErrorCode[];
  stopMessage?: string;
}

type Handler<Params, Query, Body, Answer> = (
  request: RequestOf<Params, Query, Body>,
  deps: RouteDeps & RouteTools,
  reply: FastifyReply,
) => Promise<Returned<ValueOf<Answer>> | FastifyReply>;

/** Schema and handler of an endpoint. Its row in routes/index.ts has the path, the right and the limits. */
export interface Route {
  schema: FastifySchema;
  errors: readonly ErrorCode[];
  stopMessage: string | undefined;
  handle(request: FastifyRequest, deps: RouteDeps & RouteTools, reply: FastifyReply): Promise<unknown>;
}

/** Defines what an endpoint takes and answers, and then, by `handle`, what it does. */
export const defineRoute = <Params = unknown, Query = unknown, Body = unknown, Answer = unknown>({
  query,
  answer,
  otherAnswers,
  errors = [],
  stopMessage,
  ...schema
}: RouteDefinition<Params, Query, Body, Answer>) => ({
  handle: (handle: Handler<Params, Query, Body, Answer>): Route => ({
    schema: {
      ...schema,
      ...(query !== undefined && { querystring: query }),
      response: { ...(answer !== undefined && { 200: answer }), ...otherAnswers },
    },
    errors,
    stopMessage,
    handle,
  }),
});

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
  method: RouteMethod | readonly RouteMethod[];
  path: string | readonly string[];
  bounds?: RouteBounds;
  /**
   * Set if this service does not have the route once a SuperTokens core is configured, because the core answers the
   * call.
   */
  inFrontOfCore?: 'core';
  route: Route;
}

/** Adds the routes of the table in routes/index.ts. Only the table decides about paths, rights and limits. */
export async function addRoutes(app: App, rows: readonly RouteRow[], deps: RouteDeps): Promise<void> {
  // Each route gets a Fastify scope of its own, so that its body parser applies to no other route.
  for (const row of rows) {
    const add = async (scope: App) => addRow(scope, row, deps);
    // Fastify looks for the name of a scope without one in all loaded modules.
    Object.assign(add, { [Symbol.for('fastify.display-name')]: [row.path].flat()[0] });
    await app.register(add);
  }
}

function addRow(app: App, row: RouteRow, deps: RouteDeps): void {
  const { method: _method, path: _path, bounds = {}, route, inFrontOfCore: _, ...policy } = row;
  if (policy.body === 'any') ignoreBodies(app);
  const { bodyLimitBytes = 0, fixedLimitBytes, atOnce } = bounds;
  const admit = atOnce ? limitRequests(deps.bulk[atOnce.most], atOnce.tooMany) : () => {};
  const { schema, errors, stopMessage } = route;
  const stopping = new AbortController();
  if (stopMessage !== undefined)
    app.addHook('preClose', async () => stopping.abort(new AppError('SHUTTING_DOWN', stopMessage)));
  const withTools = { ...deps, stopping: stopping.signal, admit };
  for (const [index, { method, url }] of endpointsOf(row).entries()) {
    app.route({
      method,
      url,
      schema,
      config: { ...policy, errors, undescribed: index > 0 },
      bodyLimit: fixedLimitBytes ?? Math.max(bodyLimitBytes, app.initialConfig.bodyLimit ?? 0),
      // The limit applies before the body is read, because each body may take much memory.
      ...(policy.body !== 'ndjson stream' && { onRequest: async (_request, reply) => admit(reply) }),
      handler: (request, reply) => route.handle(request, withTools, reply),
    });
  }
}

/**
 * Returns a function that counts a request until it ends, and refuses those above the limit (OVERLOADED), because they
 * would use memory while they wait.
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

export const endpointsOf = ({ method, path }: Pick<RouteRow, 'method' | 'path'>) =>
  [path].flat().flatMap((url) => [method].flat().map((one) => ({ method: one, url })));

function ignoreBodies(app: App): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume().once('end', () => done(null));
  });
}
