import { expect, it } from 'vitest';
import { useTestApp } from '../../support/app.ts';
import { BODY_ROUTES } from '../route-examples.ts';

interface Schema {
  enum?: unknown[];
  required?: string[];
  properties?: Record<string, Schema>;
}

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  security?: unknown[];
  parameters?: { name: string; in: string; required?: boolean; explode?: boolean; schema: Schema }[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<
    string,
    { description: string; headers?: object; content: Record<string, { schema: Schema }> }
  >;
}

interface OpenApi {
  openapi: string;
  info: { title: string; version: string; license: { name: string; identifier: string } };
  security: unknown[];
  components: { securitySchemes: object };
  paths: Record<string, Record<string, Operation>>;
}

const service = await useTestApp();
const { text } = await service.send('GET', '/openapi.json', undefined, { 'api-key': undefined });
const api: OpenApi = JSON.parse(text);

it('requires the API key unless an operation says otherwise', () => {
  expect(api.components.securitySchemes).toEqual({
    apiKey: { type: 'apiKey', in: 'header', name: 'api-key' },
  });
  expect(api.security).toEqual([{ apiKey: [] }]);
});

it('gives each operation a name of its own, which is an identifier', () => {
  const names = Object.values(api.paths).flatMap((path) => Object.values(path).map((one) => one.operationId));
  expect(names).toContain('postRecipeSignin');
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => !/^[a-z][A-Za-z]+$/.test(name))).toEqual([]);
});

it('describes the request and the response of each operation', () => {
  for (const [path, operations] of Object.entries(api.paths)) {
    for (const operation of Object.values(operations)) {
      expect(operation.summary).not.toBe('');
      expect(operation.tags.length).toBeGreaterThan(0);
      const { 200: answer, 204: nothing } = operation.responses;
      expect((answer ?? nothing)?.description).toEqual(expect.any(String));
      if (nothing === undefined) expect(Object.keys(answer?.content ?? {})).toHaveLength(1);
      for (const parameter of operation.parameters ?? []) {
        const place = path.includes(`{${parameter.name}}`) ? 'path' : 'query';
        expect(parameter).toMatchObject({ in: place, schema: { type: expect.any(String) } });
      }
    }
  }
});

it.each(BODY_ROUTES)('describes the body of $method $path', ({ method, path, required }) => {
  const { requestBody } = api.paths[path]?.[method.toLowerCase()] ?? {};
  expect(requestBody?.required).toBe(true);
  const topLevel = required.filter((member) => !member.includes('.'));
  expect(requestBody?.content['application/json']?.schema.required ?? []).toEqual(topLevel);
});

it('marks required query members', () => {
  const required = Object.entries(api.paths).flatMap(([path, { get }]) =>
    (get?.parameters ?? []).flatMap((one) =>
      one.required && one.in === 'query' ? `${path} ${one.name}` : [],
    ),
  );
  expect(required).toEqual([
    '/recipe/user/factors userId',
    '/user/id userId',
    '/users/by-accountinfo doUnionOfAccountInfo',
    '/recipe/user/metadata userId',
    '/recipe/userid/map userId',
  ]);
});

it('lists exactly the errors of each operation, by HTTP status', () => {
  for (const [path, operations] of Object.entries(api.paths)) {
    for (const { responses } of Object.values(operations)) {
      // Hooks in the form of a provider answer faults as the provider understands them.
      const isOfProvider = /^\/hooks\/(kratos|keycloak|okta)/.test(path);
      const success = path === '/hooks/rehearse' ? '204' : '200';
      const always = isOfProvider ? [success] : [success, '400', '500'];
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(always));
      for (const status of Object.keys(responses)) expect(status).toMatch(/^[2345]\d\d$/);
    }
  }
  const { responses } = api.paths['/recipe/user']?.put ?? {};
  const codes = Object.entries(responses ?? {}).map(([status, { content }]) => [
    Number(status),
    content['application/json']?.schema.properties?.code?.enum,
  ]);
  expect(Object.fromEntries(codes)).toMatchObject({
    400: expect.arrayContaining(['BODY_INVALID_JSON', 'FIELD_INVALID', 'PASSWORD_EMPTY', 'UPDATE_EMPTY']),
    401: ['API_KEY_INVALID'],
    403: ['RIGHT_MISSING', 'TENANT_NOT_ALLOWED'],
    413: ['BODY_TOO_LARGE'],
    503: ['LEGACY_UNAVAILABLE', 'OVERLOADED', 'STORAGE_UNAVAILABLE'],
  });
  expect(responses?.['503']?.headers).toEqual({
    'retry-after': { schema: { type: 'integer' }, description: expect.any(String) },
  });
});

it('lists no body if none is required', () => {
  const rollback = api.paths['/bulk-import/imports/{importId}/rollback']?.post;
  expect(rollback).toBeDefined();
  expect(rollback?.requestBody).toBeUndefined();
});
