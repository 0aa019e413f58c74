import { expect, it } from 'vitest';
import { useTestApp } from '../../support/app.ts';

const service = await useTestApp();

it.each([
  ['GET', '/users', 200],
  ['GET', '/bulk-import/imports', 200],
  ['GET', '/bulk-import/imports/nobody/failures', 200],
  ['GET', '/recipe/user/passwordhash/census', 200],
  ['POST', '/bulk-import/stream', 200],
  ['GET', '/users?limit=x', 400],
  ['GET', '/nowhere', 404],
  ['GET', '/bulk-import/imports/%', 404],
  ['POST', '/users/count', 405],
] as const)('%s %s, answered %s, forbids caching and content sniffing', async (method, path, status) => {
  const body = method === 'POST' && status === 200 ? { body: '', type: 'application/x-ndjson' } : undefined;
  const answer = await service.app.inject({
    method,
    url: path,
    headers: {
      'api-key': 'test-key-0123456789-abcdef',
      ...(body && { 'content-type': body.type }),
    },
    ...(body && { payload: body.body }),
  });
  expect([
    answer.statusCode,
    answer.headers['cache-control'],
    answer.headers['x-content-type-options'],
  ]).toEqual([status, 'no-store', 'nosniff']);
});

it('applies to callers without a key, too', async () => {
  const answer = await service.send('GET', '/users', undefined, { 'api-key': undefined });
  expect(answer).toMatchObject({ status: 401, headers: { 'cache-control': 'no-store' } });
});
