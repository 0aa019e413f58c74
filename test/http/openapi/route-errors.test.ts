import type { FastifyContextConfig, FastifySchema, HTTPMethods } from 'fastify';
import { expect, it } from 'vitest';
import { errorResponses, errorsOf } from '../../../src/http/openapi/openapi.ts';
import { AppError, type ErrorCode } from '../../../src/lib/errors.ts';
import { useTestApp } from '../../support/app.ts';
import { takeUndocumented } from '../../support/documented-errors.ts';

const route = (config: FastifyContextConfig = {}, schema: FastifySchema = {}, url = '/x') => ({
  method: 'GET' as HTTPMethods,
  url,
  handler: () => {},
  config,
  schema,
});

const BARE = [
  'EXPECTATION_FAILED',
  'HEADERS_TOO_LARGE',
  'INTERNAL',
  'REQUEST_MALFORMED',
  'TENANT_NOT_FOUND',
  'URI_TOO_LONG',
];
const WITH_ANY_KEY = ['API_KEY_INVALID', 'CDI_VERSION_INVALID', 'CDI_VERSION_UNSUPPORTED'];
const WITH_KEY = [...WITH_ANY_KEY, 'RIGHT_MISSING'];
const OPEN: FastifyContextConfig = { key: 'open', storage: 'no database' };
const STORELESS: FastifyContextConfig = { storage: 'no database' };

it.each<[what: string, Parameters<typeof route>, more: string[]]>([
  ['an open route', [OPEN], []],
  ['one with a key', [STORELESS], WITH_KEY],
  ['one with any key', [{ ...STORELESS, key: 'any' }], WITH_ANY_KEY],
  ['one with a database', [{}], [...WITH_KEY, 'OVERLOADED', 'STORAGE_UNAVAILABLE']],
  ['one of the app', [{ ...OPEN, level: 'app' }], ['TENANT_NOT_ALLOWED']],
  ['one with a query', [OPEN, { querystring: {} }], ['QUERY_INVALID']],
  ['one with a parameter', [OPEN, {}, '/x/:y'], ['NOT_FOUND']],
  [
    'one with a body',
    [{ ...OPEN, body: 'json' }, { body: {} }],
    [
      'BODY_INVALID_JSON',
      'BODY_TOO_LARGE',
      'CONTENT_TYPE_UNSUPPORTED',
      'FIELD_INVALID',
      'OVERLOADED',
      'REQUEST_TIMEOUT',
    ],
  ],
  ['one with a stream', [{ ...OPEN, body: 'ndjson stream' }, { body: {} }], ['CONTENT_TYPE_UNSUPPORTED']],
  ['one that names its own', [{ ...OPEN, errors: ['UPDATE_EMPTY', 'INTERNAL'] }], ['UPDATE_EMPTY']],
])('%s has the errors of its kind', (_what, [...args], more) => {
  expect(errorsOf(route(...args))).toEqual([...BARE, ...more].sort());
});

it('groups errors by status, each with its codes only', () => {
  const responses = errorResponses(route(STORELESS, {}, '/x'));
  expect(Object.keys(responses)).toEqual(['400', '401', '403', '414', '417', '431', '500']);
  expect(responses['401']).toEqual({
    description: 'Unauthorized',
    content: {
      'application/json': {
        schema: expect.objectContaining({
          properties: expect.objectContaining({
            statusCode: expect.objectContaining({ const: 401 }),
            code: expect.objectContaining({ enum: ['API_KEY_INVALID'] }),
          }),
        }),
      },
    },
  });
});

it('the description is compared with the responses of all routes in tests', async () => {
  const service = await useTestApp();
  const refuse = (code: ErrorCode) => async () => {
    throw new AppError(code, 'as the test says');
  };
  service.app.get('/forgotten', refuse('UPDATE_EMPTY'));
  service.app.get('/named', { config: { errors: ['UPDATE_EMPTY'] } }, refuse('UPDATE_EMPTY'));
  service.app.get('/hidden', { schema: { hide: true } }, refuse('UPDATE_EMPTY'));
  for (const path of ['/forgotten', '/named', '/hidden', '/nope']) await service.send('GET', path);
  expect(takeUndocumented()).toEqual(['GET /forgotten: 400 UPDATE_EMPTY']);
});
