import { afterAll, expect, it } from 'vitest';
import { createTestApp } from '../../../support/app.ts';

const service = await createTestApp();
afterAll(() => service.close());

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;
const cases = ['/', '/hello', '/Hello/', '/appid-public/public/hello', '/appid-public/public'].flatMap(
  (path) => METHODS.map((method) => ({ method, path })),
);

it.each(cases)('$method $path says Hello, without a key', async ({ method, path }) => {
  const { status, text, headers } = await service.send(method, path, undefined, { 'api-key': undefined });
  expect([status, text, headers['content-type']]).toEqual([200, 'Hello', 'text/plain; charset=utf-8']);
});

it.each(['text/plain', 'application/json', 'image/png', undefined])(
  'accepts a body of type %s',
  async (type) => {
    const { status, text } = await service.send('POST', '/hello', 'not { json', { 'content-type': type });
    expect([status, text]).toEqual([200, 'Hello']);
  },
);

it('answers other methods with an Allow header', async () => {
  const { statusCode, headers } = await service.app.inject({
    method: 'PATCH',
    url: '/hello',
    headers: { 'api-key': 'test-key-0123456789-abcdef' },
  });
  expect([statusCode, headers.allow]).toEqual([405, 'DELETE, GET, HEAD, POST, PUT']);
});
