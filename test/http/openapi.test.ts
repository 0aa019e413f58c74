import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../support/app.ts';
import { BODY_ROUTES } from './fixtures.ts';

interface Operation {
  tags: string[];
  summary: string;
  security?: unknown[];
  parameters?: { name: string; in: string; required?: boolean; schema: object }[];
  requestBody?: { required?: boolean; content: Record<string, { schema: { required: string[] } }> };
  responses: Record<string, { description: string; content: Record<string, { schema: object }> }>;
}

interface OpenApi {
  openapi: string;
  info: { title: string; version: string; license: { name: string; identifier: string } };
  security: unknown[];
  components: { securitySchemes: object };
  paths: Record<string, Record<string, Operation>>;
}

let service: TestApp;
let api: OpenApi;
beforeAll(async () => {
  service = await createTestApp();
  api = JSON.parse((await service.send('GET', '/openapi.json', undefined, { 'api-key': undefined })).text);
});
afterAll(() => service.close());

const OPEN = ['/', '/hello', '/health/live', '/health/ready'];

it('is OpenAPI 3.1', () => {
  expect(api.openapi).toMatch(/^3\.1\.\d+$/);
  expect(api.info).toMatchObject({
    title: 'user-import-core',
    version: '0.0.0-test',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  });
});

it('has every route with its methods', () => {
  const methods = Object.entries(api.paths).map(([path, operations]) => [
    path,
    Object.keys(operations).sort().join(' '),
  ]);
  expect(Object.fromEntries(methods)).toEqual({
    '/': 'delete get post put',
    '/hello': 'delete get post put',
    '/health/live': 'get',
    '/health/ready': 'get',
    '/apiversion': 'get',
    '/recipe/user/passwordhash/import': 'post',
    '/recipe/user/passwordhash/verify': 'post',
    '/recipe/signinup': 'post',
    '/recipe/signin': 'post',
    '/recipe/signup': 'post',
    '/recipe/user': 'put',
    '/user/id': 'get',
    '/users': 'get',
    '/users/count': 'get',
    '/users/by-accountinfo': 'get',
    '/user/remove': 'post',
    '/bulk-import/imports': 'get',
    '/bulk-import/imports/{importId}': 'get',
    '/bulk-import/imports/{importId}/rollback': 'post',
    '/bulk-import/stream': 'post',
    '/bulk-import/users': 'get post',
    '/bulk-import/users/count': 'get',
    '/bulk-import/users/remove': 'post',
    '/bulk-import/import': 'post',
  });
});

it('asks for the key everywhere but on the greetings and the probes', () => {
  expect(api.components.securitySchemes).toEqual({
    apiKey: { type: 'apiKey', in: 'header', name: 'api-key' },
  });
  expect(api.security).toEqual([{ apiKey: [] }]);
  for (const [path, operations] of Object.entries(api.paths)) {
    for (const { security } of Object.values(operations)) {
      expect([path, security]).toEqual([path, OPEN.includes(path) ? [] : undefined]);
    }
  }
});

it('describes what each operation takes and gives', () => {
  for (const [path, operations] of Object.entries(api.paths)) {
    for (const operation of Object.values(operations)) {
      expect(operation.summary).not.toBe('');
      expect(operation.tags.length).toBeGreaterThan(0);
      const answer = operation.responses['200'];
      expect(answer?.description).toEqual(expect.any(String));
      expect(Object.keys(answer?.content ?? {})).toHaveLength(1);
      for (const parameter of operation.parameters ?? []) {
        const place = path.includes(`{${parameter.name}}`) ? 'path' : 'query';
        expect(parameter).toMatchObject({ in: place, schema: { type: 'string' } });
      }
    }
  }
});

it('greets in plain text', () => {
  const { responses } = api.paths['/hello']?.get ?? {};
  expect(Object.keys(responses?.['200']?.content ?? {})).toEqual(['text/plain']);
});

it.each(BODY_ROUTES)('describes the body of $method $path', ({ method, path, required }) => {
  const { requestBody } = api.paths[path]?.[method.toLowerCase()] ?? {};
  expect(requestBody?.required).toBe(true);
  const topLevel = required.filter((member) => !member.includes('.'));
  expect(requestBody?.content['application/json']?.schema.required).toEqual(topLevel);
});
