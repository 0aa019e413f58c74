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

/** Functions of the HTTP server that handlers may call. */
export interface RouteTools {
  /** Returns a signal that aborts with SHUTTING_DOWN and this message when the service begins to stop. */
  stopSignal(message: string): AbortSignal;
  /**
   * Takes a place under the limit `atOnce` until the request ends. Used by routes with streamed bodies only; for other
   * routes this happens before their body is read.
   * @throws {AppError} OVERLOADED if no place is free
   */
  admit(reply: FastifyReply): void;
}

/** Schema of an answer whose JSON text the handler writes, so that stored JSON is sent unchanged. */
export const AsText = (schema: TSchema) => Type.Unsafe<string>(schema);

/** Schema of a stream of lines, whose content no schema can check. */
export const lines = (description: string) => ({
  description,
  content: { 'application/x-ndjson': { schema: Type.Unsafe<Readable>({ description }) } },
});

/** A handler whose types of request and answer come from the schema of its route. */
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
  /** Schema of requests and answers. It checks requests, serialises answers and is shown in the interface description. */
  schema: Schema;
  /** Error codes particular to this route. openapi/route-errors.ts adds the codes that follow from its row. */
  errors?: readonly ErrorCode[];
  /** Returns the function that handles requests. Called once per route, when the service starts. */
  handler(deps: RouteDeps, tools: RouteTools): Handler<Schema>;
}

/** Options of a Fastify route that follow from its row in index.ts. */
export type RoutePlace = Pick<RouteOptions, 'method' | 'url' | 'config' | 'bodyLimit' | 'onRequest'>;

/** An endpoint without its path and policy, which its row in index.ts adds. */
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
