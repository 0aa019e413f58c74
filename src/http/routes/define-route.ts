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

/** Functions of the server that a handler gets beside its dependencies. */
export interface RouteTools {
  /** Aborts with SHUTTING_DOWN and this message when the service begins to stop. */
  stopSignal(message: string): AbortSignal;
  /**
   * For streams whose row has a bound `atOnce`: takes a place until the request is over. Other routes are admitted
   * before their body is read. @throws {AppError} OVERLOADED where no place is free
   */
  admit(reply: FastifyReply): void;
}

/** An answer whose JSON text the handler writes, so that stored JSON stays as it is. */
export const AsText = (schema: TSchema) => Type.Unsafe<string>(schema);

/** A stream of lines, which no schema can check. */
export const lines = (description: string) => ({
  description,
  content: { 'application/x-ndjson': { schema: Type.Unsafe<Readable>({ description }) } },
});

/** A handler whose request and answer have the types that the schema gives them. */
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
  /** Called once, when the service is put together; returns what answers requests. */
  handler(deps: RouteDeps, tools: RouteTools): Handler<Schema>;
}

/** Options of a route that follow from its row. */
export type RoutePlace = Pick<RouteOptions, 'method' | 'url' | 'config' | 'bodyLimit' | 'onRequest'>;

/** A route, before it is known under which path it answers and what it asks for: that is its row in index.ts. */
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
