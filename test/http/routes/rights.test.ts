import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RIGHTS } from '../../../src/config/api-keys.ts';
import { createTestApp, type TestApp } from '../../support/app.ts';
import { failure } from '../../support/service-calls.ts';
import { ENDPOINTS, type Endpoint, SERVED } from '../route-examples.ts';

/** Walks all routes with keys that have one right each. A new row is tested with no line added here. */
let service: TestApp;
const keyOf = (right: string) => `key-that-may-only-${right}`;
beforeAll(async () => {
  const api_keys = RIGHTS.map((right) => ({ name: `only-${right}`, key: keyOf(right), allow: [right] }));
  service = await createTestApp({ config: { api_keys } });
});
afterAll(() => service.close());

const send = ({ method, url, example }: Endpoint, right: string) => {
  const { body, headers } = example();
  return service.send(method, url, body, { ...headers, 'api-key': keyOf(right) });
};

describe.each(SERVED.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  '%s',
  (_name, endpoint) => {
    const needed = endpoint.row.key;
    const isFree = needed === 'open' || needed === 'any';

    it.each(RIGHTS)(`needs ${needed}: a key that may only %s`, async (right) => {
      const answer = await send(endpoint, right);
      if (isFree || right === needed) expect(answer.status).toBe(200);
      else
        expect(answer).toMatchObject(
          failure(403, 'RIGHT_MISSING', `The API key "only-${right}" lacks the right "${needed}"`),
        );
    });
  },
);

it('lets keys of providers call hooks only, whose faults have a form', () => {
  for (const { path, row } of ENDPOINTS)
    expect([path, row.hook !== undefined]).toEqual([path, row.key === 'verify']);
});

it('lets keys that may read change nothing', () => {
  for (const { method, path, row } of ENDPOINTS) {
    if (row.key === 'read' || row.key === 'any') expect([path, method]).toEqual([path, 'GET']);
  }
});

it.each(['', '&dryRun=true'])(
  'removes users only for keys that may manage, also with an import: %s',
  async (more) => {
    const query = `importId=removes&matchBy=externalId&source=s&deleteMissing=1${more}`;
    const answer = await service.send('POST', `/bulk-import/stream?${query}`, '{"externalUserId":"1"}', {
      'content-type': 'application/x-ndjson',
      'api-key': keyOf('import'),
    });
    expect(answer).toMatchObject(
      failure(403, 'RIGHT_MISSING', 'The API key "only-import" lacks the right "manage"'),
    );
  },
);

it('says nothing about rights before the key is known, and nothing about a path that does not exist', async () => {
  const [first] = ENDPOINTS.filter(({ row }) => row.key === 'manage');
  if (first === undefined) throw new Error('no route needs manage');
  const { body, headers } = first.example();
  expect(
    await service.send(first.method, first.url, body, { ...headers, 'api-key': 'unknown' }),
  ).toMatchObject(failure(401, 'API_KEY_INVALID', 'Invalid API key'));
  expect(await service.send('GET', '/nope', undefined, { 'api-key': keyOf('read') })).toMatchObject(
    failure(404, 'NOT_FOUND', 'Not found'),
  );
});

it('refuses a request before its body is read, and logs no key', async () => {
  const answer = await service.send('POST', '/bulk-import/users', '{'.repeat(1_000_000), {
    'api-key': keyOf('read'),
  });
  expect(answer).toMatchObject({ status: 403, body: { code: 'RIGHT_MISSING' } });
  for (const right of RIGHTS) expect(service.log()).not.toContain(keyOf(right));
});

it('a route that names no right needs manage', async () => {
  const other = await createTestApp({
    config: {
      api_keys: [
        { name: 'a', key: keyOf('read'), allow: ['read'] },
        { name: 'b', key: keyOf('manage'), allow: ['manage'] },
      ],
    },
    database: service.database,
  });
  other.app.get('/unsaid', async () => ({}));
  const status = async (right: string) =>
    (await other.send('GET', '/unsaid', undefined, { 'api-key': keyOf(right) })).status;
  expect([await status('read'), await status('manage')]).toEqual([403, 200]);
  await other.app.close();
});
