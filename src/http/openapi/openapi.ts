import { STATUS_CODES } from 'node:http';
import swagger from '@fastify/swagger';
import { type TSchema, Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify';
import { ERROR_STATUS, type ErrorCode } from '../../lib/errors.ts';
import { NEWEST_CDI_VERSION } from '../server/request-checks.ts';
import { type BodyKind, FAULT_STATUS, FAULTS } from '../server/route-checks.ts';
import { docsPage } from './docs-page.ts';

/**
 * Keyword of a schema. The OpenAPI description shows its value in place of the schema, for fields whose schema accepts
 * any text because code checks them with better error messages.
 */
export const DOCUMENTED_AS = 'documentedAs';

/** Replaces schemas by their `documentedAs`, at any depth. */
export function documented(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(documented);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { [DOCUMENTED_AS]: better, description, ...rest } = schema as Partial<TSchema>;
  const whole = { ...(description !== undefined && { description }), ...(better ?? rest) };
  return Object.fromEntries(Object.entries(whole).map(([name, value]) => [name, documented(value)]));
}

const ANY_REQUEST: readonly ErrorCode[] = [
  'EXPECTATION_FAILED',
  'HEADERS_TOO_LARGE',
  'INTERNAL',
  'REQUEST_MALFORMED',
  'TENANT_NOT_FOUND',
  'URI_TOO_LONG',
];

const WITH_KEY: readonly ErrorCode[] = ['API_KEY_INVALID', 'CDI_VERSION_INVALID', 'CDI_VERSION_UNSUPPORTED'];

const WITH_DATABASE: readonly ErrorCode[] = ['OVERLOADED', 'STORAGE_UNAVAILABLE'];

const WITH_JSON_BODY: readonly ErrorCode[] = [
  'BODY_INVALID_JSON',
  'BODY_TOO_LARGE',
  'CONTENT_TYPE_UNSUPPORTED',
  'FIELD_INVALID',
  'OVERLOADED',
  'REQUEST_TIMEOUT',
];

const WITH_BODY: Record<BodyKind, readonly ErrorCode[]> = {
  none: [],
  json: WITH_JSON_BODY,
  'optional json': WITH_JSON_BODY,
  'json with users': WITH_JSON_BODY,
  // The answer begins while the stream is still read. Later errors therefore have no status: the last line of the
  // answer reports them.
  'ndjson stream': ['CONTENT_TYPE_UNSUPPORTED'],
  any: [],
};

/** Returns all error codes of a route: those that follow from its policy, and those that it declares. */
export function errorsOf({ url, schema, config = {} }: RouteOptions): ErrorCode[] {
  const { level, key, body = 'none', storage, errors = [] } = config;
  const codes = new Set<ErrorCode>([...ANY_REQUEST, ...errors, ...WITH_BODY[body]]);
  const add = (isSo: boolean, more: readonly ErrorCode[]) => {
    if (isSo) for (const code of more) codes.add(code);
  };
  add(key !== 'open', WITH_KEY);
  add(key !== 'open' && key !== 'any', ['RIGHT_MISSING']);
  add(level === 'app', ['TENANT_NOT_ALLOWED']);
  add(storage !== 'no database', WITH_DATABASE);
  add(schema?.querystring !== undefined, ['QUERY_INVALID']);
  add(url.includes('/:'), ['NOT_FOUND']);
  return [...codes].sort();
}

const RETRY_AFTER = {
  'retry-after': { type: 'integer', description: 'Seconds after which the request may be repeated.' },
};

export function errorResponses(route: RouteOptions): Record<string, unknown> {
  const { hook } = route.config ?? {};
  const fault = hook && FAULTS[hook];
  if (fault === 'closed connection') return {};
  if (fault === 'no body') return { [FAULT_STATUS]: { description: 'Any error, without a body.' } };
  const codes = errorsOf(route);
  const statuses = [...new Set(codes.map((code) => ERROR_STATUS[code]))];
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: STATUS_CODES[status],
        ...(status === 503 && hook === undefined && { headers: RETRY_AFTER }),
        content: { 'application/json': { schema: errorJson(status, codes) } },
      },
    ]),
  );
}

const errorJson = (status: number, codes: readonly ErrorCode[]) =>
  Type.Object({
    statusCode: Type.Literal(status),
    code: Type.String({
      enum: codes.filter((code) => ERROR_STATUS[code] === status),
      description: 'Stable; see docs/errors.md.',
    }),
    error: Type.String({ description: 'The name of the status.' }),
    message: Type.String({ description: 'Reason for the refusal, with its place in the request.' }),
  });

/** `explode: false` separates lists by commas. The Swagger plugin expects it in the schema of the query. */
const whatItTakes = ({ params, querystring, body }: FastifySchema = {}) => ({
  ...(params !== undefined && { params: documented(params) }),
  ...(querystring !== undefined && {
    querystring: { ...(documented(querystring) as object), explode: false },
  }),
  ...(body !== undefined && { body: documented(body) }),
});

const responses = (schema: FastifySchema | undefined) =>
  Object.fromEntries(
    Object.entries(schema?.response ?? {}).map(([status, answer]) => [
      status,
      { 'x-response-description': STATUS_CODES[status], ...(documented(answer) as object) },
    ]),
  );

/** Returns the `operationId`, from which generated clients make the name of the call: `postRecipeSignin`. */
const operationId = (method: string, url: string) =>
  [
    method.toLowerCase(),
    ...(url.match(/\w+/g) ?? []).map((word) => word.charAt(0).toUpperCase() + word.slice(1)),
  ].join('');

/** Serves the OpenAPI description, which is generated from the schemas that also check requests. */
export async function documentApi(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'user-import-core',
        version,
        description: `Imports users with their old password hashes and signs them in. CDI ${NEWEST_CDI_VERSION}; errors: docs/errors.md.`,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: {
        securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'api-key' } },
      },
      security: [{ apiKey: [] }],
    },
    transform: ({ schema, url, route }) => ({
      schema: {
        ...schema,
        operationId: operationId(String(route.method), url),
        ...(route.config?.undescribed && { hide: true }),
        ...whatItTakes(schema),
        // The Swagger plugin would describe an optional body as required, so the description leaves it out.
        ...(route.config?.body === 'optional json' && { body: undefined }),
        ...(route.config?.key === 'open' && { security: [] }),
        response: { ...errorResponses(route), ...responses(schema) },
      },
      url,
    }),
  });
  // The serialised description is kept, because serialising takes longer than most answers.
  let description: Buffer | undefined;
  app.get('/openapi.json', { config: { key: 'open' }, schema: { hide: true } }, (_request, reply) => {
    description ??= Buffer.from(JSON.stringify(app.swagger()));
    return reply
      .header('cache-control', 'no-cache')
      .type('application/json; charset=utf-8')
      .send(description);
  });
  await app.register(docsPage);
}
