import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf } from '../../../src/config/api-keys.ts';
import { API_KEY, createTestApp, type TestApp, useTestApp } from '../../support/app.ts';
import { failure } from '../../support/service-calls.ts';

const SECOND_KEY = 'second-key-0123456789';
const REFUSED = failure(401, 'API_KEY_INVALID', 'Invalid API key');

const service = await useTestApp({ config: { api_keys: ` ${API_KEY} , ${SECOND_KEY}` } });

const count = (headers: Record<string, string | undefined>) =>
  service.send('GET', '/users/count', undefined, { 'api-key': undefined, ...headers });

it.each([
  ['the api-key header', { 'api-key': API_KEY }],
  ['the second of two keys', { 'api-key': SECOND_KEY }],
  ['a bearer token', { authorization: `Bearer ${API_KEY}` }],
  ['a bearer token in another case', { authorization: `bearer  ${SECOND_KEY}` }],
  ['the bare key in Authorization', { authorization: API_KEY }],
])('accepts %s', async (_how, headers) => {
  expect((await count(headers)).status).toBe(200);
});

it.each([
  ['no key', {}],
  ['an empty key', { 'api-key': '' }],
  ['a wrong key', { 'api-key': 'wrong-key-0123456789-abcdef' }],
  ['a part of the key', { 'api-key': API_KEY.slice(0, -1) }],
  ['more than the key', { 'api-key': `${API_KEY}x` }],
  ['the key in another case', { 'api-key': API_KEY.toUpperCase() }],
  ['both keys at once', { 'api-key': `${API_KEY},${SECOND_KEY}` }],
  ['the configured text with its comma', { 'api-key': ` ${API_KEY} , ${SECOND_KEY}` }],
  ['a wrong bearer token', { authorization: 'Bearer wrong-key-0123456789' }],
  ['an empty bearer token', { authorization: 'Bearer ' }],
  ['another scheme', { authorization: `Basic ${API_KEY}` }],
  ['a wrong key beside a right token', { 'api-key': 'wrong', authorization: `Bearer ${API_KEY}` }],
])('refuses a request with %s', async (_what, headers) => {
  expect(await count(headers)).toMatchObject(REFUSED);
});

it('tells who sent no key which header it belongs in, and nobody else anything', async () => {
  const textOf = async (headers: Record<string, string>) => (await count(headers)).body.message;
  const missing = 'Invalid API key: API key missing, send it in the header api-key';
  expect(await textOf({})).toBe(missing);
  expect(await textOf({ 'api-key': '' })).toBe(missing);
  for (const wrong of ['x', API_KEY.slice(0, -1), SECOND_KEY.toUpperCase()])
    expect(await textOf({ 'api-key': wrong })).toBe('Invalid API key');
});

it('never accepts a key in the query', async () => {
  const answer = await service.send('GET', `/users/count?api-key=${API_KEY}`, undefined, {
    'api-key': undefined,
  });
  expect(answer).toMatchObject(REFUSED);
});

describe('the name of a key', () => {
  let named: TestApp;
  beforeAll(async () => {
    named = await createTestApp({
      config: { api_keys: ` ${API_KEY} ,migration:${SECOND_KEY},again:${SECOND_KEY}` },
      database: service.database,
    });
    named.app.get('/whose', async ({ apiKeyName }) => ({ apiKeyName }));
    named.app.get('/open', { config: { key: 'open' } }, async ({ apiKeyName }) => ({ apiKeyName }));
  });
  afterAll(() => named.app.close());

  it.each([
    ['its place where it has none', { 'api-key': API_KEY }, 'key-1'],
    ['the first it has', { 'api-key': SECOND_KEY }, 'migration'],
    ['the same for a bearer token', { authorization: `Bearer ${SECOND_KEY}` }, 'migration'],
  ])('is %s', async (_what, headers, apiKeyName) => {
    const answer = await named.send('GET', '/whose', undefined, { 'api-key': undefined, ...headers });
    expect(answer.body).toEqual({ apiKeyName });
  });

  it.each([`migration:${SECOND_KEY}`, `key-1:${API_KEY}`, 'migration', 'key-1', 'migration:', ':'])(
    'is never part of the key that callers send: %s is refused',
    async (key) => {
      for (const headers of [{ 'api-key': key }, { 'api-key': undefined, authorization: `Bearer ${key}` }]) {
        expect(await named.send('GET', '/whose', undefined, headers)).toMatchObject(REFUSED);
      }
    },
  );

  it('is undefined if no key is required', async () => {
    expect((await named.send('GET', '/open')).body).toEqual({});
  });
});

it('no key is required for unknown paths', async () => {
  const without = { 'api-key': undefined };
  const unknown = failure(404, 'NOT_FOUND', 'Not found');
  expect(await service.send('GET', '/nope', undefined, without)).toMatchObject(unknown);
  expect(await service.send('POST', '/recipe/nope', '{', without)).toMatchObject(unknown);
});

it('a key is required if another method of the path is open', async () => {
  const mixed = await createTestApp();
  mixed.app.get('/mixed', { config: { key: 'open' } }, async () => ({}));
  mixed.app.post('/mixed', async () => ({}));
  const send = (method: 'GET' | 'POST') => mixed.send(method, '/mixed', undefined, { 'api-key': undefined });
  expect((await send('GET')).status).toBe(200);
  expect(await send('POST')).toMatchObject(REFUSED);
  await mixed.close();
});

describe('the list form', () => {
  const keys = [
    { name: 'digest', key_sha256: digestOf('key-known-by-its-digest'), allow: ['read' as const] },
    { name: 'retired', key: SECOND_KEY, allow: [] },
  ];
  let listed: TestApp;
  beforeAll(async () => {
    listed = await createTestApp({ config: { api_keys: keys }, database: service.database });
  });
  afterAll(() => listed.app.close());
  const ask = (key: string) => listed.send('GET', '/api-key', undefined, { 'api-key': key });

  it('accepts a key that is configured by its digest, but not the digest', async () => {
    expect((await ask('key-known-by-its-digest')).body).toEqual({
      status: 'OK',
      name: 'digest',
      allow: ['read'],
    });
    expect(await ask(digestOf('key-known-by-its-digest'))).toMatchObject(REFUSED);
  });

  it('refuses a key without rights, which only opens old records', async () => {
    expect(await ask(SECOND_KEY)).toMatchObject(REFUSED);
  });
});
