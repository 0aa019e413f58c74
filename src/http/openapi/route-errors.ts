import { Type } from '@sinclair/typebox';
import type { RouteOptions } from 'fastify';
import { ERROR_STATUS, type ErrorCode } from '../../lib/errors.ts';
import { STATUS_TEXT } from '../server/error-handler.ts';
import type { BodyKind } from '../server/route-checks.ts';
import { FAULT_STATUS } from '../server/route-checks.ts';

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
  // The answer begins while the stream is read, so its last line reports errors in the rest of the stream.
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
  const { fault = 'json', hook } = route.config ?? {};
  if (fault === 'closed connection') return {};
  if (fault === 'no body') return { [FAULT_STATUS]: { description: 'Any error, without a body.' } };
  const codes = errorsOf(route);
  const statuses = [...new Set(codes.map((code) => ERROR_STATUS[code]))];
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: STATUS_TEXT[status],
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
