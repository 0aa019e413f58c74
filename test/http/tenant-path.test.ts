import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../support/app.ts';
import { BODY_ROUTES, failure } from './fixtures.ts';

let service: TestApp;
beforeAll(async () => {
  service = await createTestApp();
});
afterAll(() => service.close());

const APP_LEVEL = ['/apiversion', '/user/id?userId=x'];
const TENANT_LEVEL = ['/users', '/users/count', '/users/by-accountinfo?doUnionOfAccountInfo=true'];
const UNKNOWN_TENANT = failure(400, 'TENANT_NOT_FOUND', 'AppId or tenantId not found');
const APP_SPECIFIC = failure(
  403,
  'TENANT_NOT_ALLOWED',
  'Only public tenantId can call this app specific API',
);

describe.each([...APP_LEVEL, ...TENANT_LEVEL])('GET %s', (url) => {
  it.each(['/public', '/appid-public', '/appid-public/public', '/AppId-Public/PUBLIC', '/PUBLIC'])(
    'answers under %s as it does without',
    async (prefix) => {
      const plain = await service.send('GET', url);
      const prefixed = await service.send('GET', prefix + url);
      expect(plain.status).toBe(200);
      expect(prefixed).toMatchObject({ status: 200, body: plain.body });
    },
  );

  it('is known in any letter case and with one trailing slash', async () => {
    const [path = '', query] = url.split('?');
    const search = query === undefined ? '' : `?${query}`;
    expect((await service.send('GET', path.toUpperCase() + search)).status).toBe(200);
    expect((await service.send('GET', `${path}/${search}`)).status).toBe(200);
    expect((await service.send('GET', `/appid-public/public${path}/${search}`)).status).toBe(200);
  });

  it('is not known with two trailing slashes', async () => {
    const [path = ''] = url.split('?');
    expect(await service.send('GET', `${path}//`)).toMatchObject(failure(404, 'NOT_FOUND', 'Not found'));
  });

  it('does not know another app', async () => {
    expect(await service.send('GET', `/appid-other${url}`)).toMatchObject(UNKNOWN_TENANT);
    expect(await service.send('GET', `/appid-other/public${url}`)).toMatchObject(UNKNOWN_TENANT);
  });
});

it.each(TENANT_LEVEL)('GET %s does not know another tenant', async (url) => {
  expect(await service.send('GET', `/other${url}`)).toMatchObject(UNKNOWN_TENANT);
  expect(await service.send('GET', `/appid-public/other${url}`)).toMatchObject(UNKNOWN_TENANT);
});

it.each(APP_LEVEL)('GET %s is not for another tenant', async (url) => {
  expect(await service.send('GET', `/other${url}`)).toMatchObject(APP_SPECIFIC);
  expect(await service.send('GET', `/appid-public/other${url}`)).toMatchObject(APP_SPECIFIC);
});

const isAppLevel = (path: string) => path === '/user/remove' || path === '/recipe/user';

it.each(BODY_ROUTES)('$method $path takes the prefixes, and refuses other tenants', async (route) => {
  const { method, path, body } = route;
  for (const prefix of ['/public', '/appid-public', '/appid-public/public']) {
    expect((await service.send(method, prefix + path, body)).status).toBe(200);
  }
  const refusal = isAppLevel(path) ? APP_SPECIFIC : UNKNOWN_TENANT;
  expect(await service.send(method, `/other${path}`, body)).toMatchObject(refusal);
});

it.each(['/hello', '/health/live', '/health/ready'])('%s answers under the one tenant only', async (path) => {
  expect((await service.send('GET', `/appid-public/public${path}`)).status).toBe(200);
  expect(await service.send('GET', `/other${path}`)).toMatchObject(UNKNOWN_TENANT);
  expect(await service.send('GET', `/appid-other${path}`)).toMatchObject(UNKNOWN_TENANT);
});

it('checks the key before the tenant', async () => {
  const answer = await service.send('GET', '/other/users', undefined, { 'api-key': undefined });
  expect(answer).toMatchObject(failure(401, 'API_KEY_INVALID', 'Invalid API key'));
});

it.each([
  '/nope',
  '/public/nope',
  '/other/nope',
  '/public/public/users',
  '/appid-public/a/b/users',
  '/other',
])('does not know the path %s', async (path) => {
  expect(await service.send('GET', path)).toMatchObject(failure(404, 'NOT_FOUND', 'Not found'));
});

it('keeps the query of a prefixed path', async () => {
  expect(await service.send('GET', '/appid-public/public/users?limit=0')).toMatchObject(
    failure(400, 'QUERY_INVALID', 'limit must a positive integer with min value 1'),
  );
});

it('answers 404 for a path that cannot be decoded', async () => {
  expect(await service.send('GET', '/%')).toMatchObject(failure(404, 'NOT_FOUND', 'Not found'));
});
