import { describe, expect, it } from 'vitest';
import { useTestApp } from '../../support/app.ts';
import { failure } from '../../support/service-calls.ts';

const service = await useTestApp();
const { app } = service;
app.get('/things', async () => ({ things: [] }));
app.get('/things/:thingId', async ({ params }) => params);
app.post('/things/:thingId/undo', { config: { level: 'app' } }, async ({ params }) => params);

const UNKNOWN_TENANT = failure(400, 'TENANT_NOT_FOUND', 'AppId or tenantId not found');
const APP_SPECIFIC = failure(
  403,
  'TENANT_NOT_ALLOWED',
  'Only public tenantId can call this app specific API',
);

describe('a path with a parameter', () => {
  it.each(['', '/public', '/appid-public', '/appid-public/public', '/AppId-Public/PUBLIC'])(
    'answers under "%s", and the parameter keeps its letter case',
    async (prefix) => {
      expect((await service.send('GET', `${prefix}/Things/Ab.C-_9/`)).body).toEqual({ thingId: 'Ab.C-_9' });
      expect((await service.send('POST', `${prefix}/things/Public/UNDO?x=Y`)).body).toEqual({
        thingId: 'Public',
      });
    },
  );

  it('accepts a parameter that looks like a prefix or a path', async () => {
    for (const thingId of ['public', 'appid-other', 'things', 'users']) {
      expect((await service.send('GET', `/things/${thingId}`)).body).toEqual({ thingId });
      expect((await service.send('GET', `/public/things/${thingId}`)).body).toEqual({ thingId });
    }
  });

  it('exists in no other app and no other tenant', async () => {
    for (const prefix of ['/other', '/appid-public/other', '/appid-other', '/appid-other/public']) {
      expect(await service.send('GET', `${prefix}/things/a`)).toMatchObject(UNKNOWN_TENANT);
    }
    expect(await service.send('POST', '/other/things/a/undo')).toMatchObject(APP_SPECIFIC);
    expect(await service.send('POST', '/appid-other/things/a/undo')).toMatchObject(UNKNOWN_TENANT);
  });

  it('answers other methods with 405 under a prefix, too, after it has checked the key', async () => {
    const put = await service.send('PUT', '/appid-public/public/things/a');
    expect([put.status, put.headers.allow]).toEqual([405, 'GET, HEAD']);
    const undo = await service.send('GET', '/public/things/a/undo', undefined, { 'api-key': undefined });
    expect(undo).toMatchObject(failure(401, 'API_KEY_INVALID', 'Invalid API key'));
  });

  it.each(['/public/things/a%20b', '/other/things/a/undo/b', '/a/b/things/a', '/public/public/things/a'])(
    'does not match %s',
    async (path) => {
      expect(await service.send('GET', path)).toMatchObject(failure(404, 'NOT_FOUND', 'Not found'));
    },
  );
});

it.each(['/hello', '/health/live', '/health/ready'])(
  '%s answers only under the public tenant',
  async (path) => {
    expect((await service.send('GET', `/appid-public/public${path}`)).status).toBe(200);
    expect(await service.send('GET', `/other${path}`)).toMatchObject(UNKNOWN_TENANT);
    expect(await service.send('GET', `/appid-other${path}`)).toMatchObject(UNKNOWN_TENANT);
  },
);

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
])('does not match the path %s', async (path) => {
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
