import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { type TSchema, Type } from '@sinclair/typebox';
import type {
  ContextConfigDefault,
  FastifyBaseLogger,
  FastifyReply,
  FastifySchema,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
  RouteOptions,
} from 'fastify';
import type { ErrorCode } from '../../lib/errors.ts';
import type { App, RouteDeps } from '../context.ts';

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

interface RouteDefinition<Schema extends FastifySchema> {
  /** Fastify checks requests and serialises answers by the schema, and the interface description shows it. */
  schema: Schema;
  errors?: readonly ErrorCode[];
  /** Called only when the service starts, once for each path and method. */
  handler(deps: RouteDeps, tools: RouteTools): Handler<Schema>;
}

/** Options of a Fastify route that are derived from its row in routes/index.ts. */
export type RoutePlace = Pick<RouteOptions, 'method' | 'url' | 'config' | 'bodyLimit' | 'onRequest'>;

/** Schema and handler of an endpoint. Its row in routes/index.ts has the path, the right and the limits. */
export interface Route {
  schema: FastifySchema;
  errors: readonly ErrorCode[];
  addTo(app: App, place: RoutePlace, deps: RouteDeps, tools: RouteTools): void;
}

export function defineRoute<const Schema extends FastifySchema>({
  schema,
  errors = [],
  handler,
}: RouteDefinition<Schema>): Route {
  return {
    schema,
    errors,
    addTo(app, place, deps, tools) {
      app.route<RouteGenericInterface, ContextConfigDefault, Schema>({
        ...place,
        schema,
        handler: handler(deps, tools),
      });
    },
  };
}
