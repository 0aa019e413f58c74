import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { InjectOptions } from 'light-my-request';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/http/context.ts';
import { endpointsOf, type RouteRow } from '../../../src/http/routes/define-route.ts';
import { ROUTES } from '../../../src/http/routes/index.ts';
import { Database } from '../../../src/postgres/client/database.ts';
import { API_KEY, createTestApp, type TestApp } from '../../support/app.ts';
import { NDJSON } from '../../support/ndjson.ts';
import { failure } from '../../support/service-calls.ts';
import { ENDPOINTS, type Endpoint, isOfProvider, SERVED } from '../route-examples.ts';

/** Holds each row of the policy page (src/http/routes/index.ts) to its word. A new row is tested with no line added here. */
let service: TestApp;
/** All that the service answers, as `GET /path`. */
const answered = new Map<string, { isOpen: boolean }>();
beforeAll(async () => {
  const watch = (message: unknown) => {
    (message as { fastify: App }).fastify.addHook('onRoute', ({ method, url, config }) => {
      for (const one of [method].flat()) answered.set(`${one} ${url}`, { isOpen: config?.key === 'open' });
    });
  };
  subscribe('fastify.initialization', watch);
  // Time passes with every look, because hooks limit wrong passwords for each minute.
  let nowMs = Date.now();
  service = await createTestApp({
    now: () => {
      nowMs += 10_000;
      return nowMs;
    },
  });
  unsubscribe('fastify.initialization', watch);
});
afterAll(() => service.close());

const nameOf = ({ method, path }: Pick<Endpoint, 'method' | 'path'>) => `${method} ${path}`;

function send({ method, url, example }: Endpoint, changes: Partial<ReturnType<Endpoint['example']>> = {}) {
  const { body, headers } = { ...example(), ...changes };
  return service.send(method, url, body, { ...example().headers, ...headers });
}

const UNKNOWN_TENANT = failure(400, 'TENANT_NOT_FOUND', 'AppId or tenantId not found');
const OTHER_TENANT = {
  app: failure(403, 'TENANT_NOT_ALLOWED', 'Only public tenantId can call this app specific API'),
  tenant: UNKNOWN_TENANT,
};
const NO_KEY = { 'api-key': undefined };
const PUBLIC_PREFIXES = ['', '/public', '/appid-', '/appid-/public', '/appid-public', '/AppId-Public/PUBLIC'];

/** What is described of a row that has several methods or paths. */
const firstOf = (row: RouteRow) => {
  const { method = 'GET', url: path = '' } = endpointsOf(row)[0] ?? {};
  return { method, path };
};

const NAMED = SERVED.map((endpoint) => [nameOf(endpoint), endpoint] as const);

describe.each(NAMED)('%s', (_name, endpoint) => {
  const { row, method, path, url, example } = endpoint;
  const under = (prefix: string, changed = url) => send({ ...endpoint, url: prefix + changed });

  it('answers its example', async () => {
    expect((await send(endpoint)).status).toBe(200);
  });

  it('answers in any letter case, with one slash behind it, under the public app and tenant', async () => {
    const [place = '', query] = url.split('?');
    const search = query === undefined ? '' : `?${query}`;
    const upper = place.toUpperCase() + search;
    const slashed = place === '/' ? url : `${place}/${search}`;
    for (const prefix of PUBLIC_PREFIXES) {
      for (const changed of [upper, slashed]) {
        expect([prefix, (await under(prefix, changed)).status]).toEqual([prefix, 200]);
      }
    }
    if (place === '/') return;
    expect(await under('', `${place}//${search}`)).toMatchObject(failure(404, 'NOT_FOUND', 'Not found'));
  });

  it(`is for the ${row.level === 'app' ? 'whole app' : 'public tenant'}`, async () => {
    const unknown = path === '/' ? failure(404, 'NOT_FOUND', 'Not found') : OTHER_TENANT[row.level];
    for (const prefix of ['/other', '/appid-public/other'])
      expect(await under(prefix)).toMatchObject(unknown);
    expect(await under('/appid-other')).toMatchObject(UNKNOWN_TENANT);
    expect(await under('/appid-other/public')).toMatchObject(UNKNOWN_TENANT);
  });

  const isOpen = row.key === 'open';
  if (isOpen)
    it('asks for neither a key nor a version', async () => {
      for (const headers of [NO_KEY, { 'api-key': 'wrong' }, { 'cdi-version': 'x' }]) {
        expect((await send(endpoint, { headers })).status).toBe(200);
      }
    });

  if (!isOpen)
    it('asks for the key before all else, and then for the version', async () => {
      const refused = failure(401, 'API_KEY_INVALID', 'Invalid API key');
      const bad = { body: '{'.repeat(2_000_000) };
      for (const key of [NO_KEY, { 'api-key': 'wrong' }, { 'api-key': `${API_KEY}x` }]) {
        expect(await send(endpoint, { headers: key })).toMatchObject(refused);
        const headers = { ...key, 'cdi-version': 'x', 'content-type': 'text/plain' };
        expect(await send(endpoint, { ...bad, headers })).toMatchObject(refused);
        expect(await service.send(method, `/other${path}`, undefined, headers)).toMatchObject(
          path.includes(':') ? { status: 404 } : refused,
        );
      }
      const version = failure(400, 'CDI_VERSION_UNSUPPORTED', 'cdi-version 9.9 not supported');
      expect(await send(endpoint, { ...bad, headers: { 'cdi-version': '9.9' } })).toMatchObject(version);
    });

  it('answers other methods 405, once the key is there, and says which there are', async () => {
    const siblings = ENDPOINTS.filter((one) => one.path === path).map((one) => one.method);
    const allowed = [...siblings, ...(siblings.includes('GET') ? ['HEAD'] : [])].sort();
    for (const other of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND']) {
      if (allowed.includes(other)) continue;
      const url = `/public${path.replace(/:\w+/g, 'none')}`;
      // The types do not know PROPFIND.
      const call = { method: other, url } as InjectOptions;
      const { statusCode, headers } = await service.app.inject({ ...call, headers: { 'api-key': API_KEY } });
      expect([other, statusCode, headers.allow]).toEqual([other, 405, allowed.join(', ')]);
      const stranger = await service.app.inject(call);
      expect(stranger.statusCode).toBe(isOpen ? 405 : 401);
    }
  });

  const answers: Record<typeof row.body, { text: RegExp; notJson: RegExp; nothing: RegExp }> = {
    none: { text: /^415/, notJson: /^400 BODY_INVALID_JSON/, nothing: /^200/ },
    json: { text: /^415/, notJson: /^400 BODY_INVALID_JSON/, nothing: /^400 BODY_INVALID_JSON/ },
    'json with users': { text: /^415/, notJson: /^400 BODY_INVALID_JSON/, nothing: /^400 BODY_INVALID_JSON/ },
    'optional json': { text: /^415/, notJson: /^400 BODY_INVALID_JSON/, nothing: /^200/ },
    'ndjson stream': { text: /^415/, notJson: /^415/, nothing: /^415/ },
    any: { text: /^200/, notJson: /^200/, nothing: /^200/ },
  };

  if (method !== 'GET')
    it(`takes as its body: ${row.body}`, async () => {
      const { text, notJson, nothing } = answers[row.body];
      const said = async (body: unknown, headers: Record<string, string | undefined> = {}) => {
        const answer = await service.send(method, url, body, headers);
        return `${answer.status} ${answer.body.code}`;
      };
      expect(await said('{}', { 'content-type': 'text/plain' })).toMatch(text);
      if (row.body !== 'ndjson stream') expect(await said('{}\n', { 'content-type': NDJSON })).toMatch(text);
      expect(await said('{"broken')).toMatch(notJson);
      expect(await said(undefined)).toMatch(nothing);
    });

  if (/^json/.test(row.body))
    it('takes a body up to its limit, and none above', async () => {
      const { bodyLimitBytes = 0, fixedLimitBytes } = row.bounds ?? {};
      const limit = fixedLimitBytes ?? Math.max(bodyLimitBytes, 1_048_576);
      const padded = (bytes: number) =>
        send(endpoint, { body: JSON.stringify(example().body).padEnd(bytes) });
      expect((await padded(limit)).status).toBe(200);
      expect(await padded(limit + 1)).toMatchObject(
        failure(413, 'BODY_TOO_LARGE', `Request body is too large: at most ${limit} bytes`),
      );
    });

  it('has a schema of the body, where it takes one', () => {
    const { body, querystring } = row.route.schema;
    expect(body !== undefined).toBe(row.body !== 'none' && row.body !== 'any');
    if (querystring !== undefined) expect(querystring).toMatchObject({ type: 'object' });
    expect(row.route.schema.response).toHaveProperty('200');
  });
});

describe('without its database', () => {
  let cutOff: TestApp;
  beforeAll(async () => {
    const uri = 'postgresql://nobody@127.0.0.1:1/none';
    const db = new Database({ uri, size: 2, timeoutMs: 10_000, onIdleError: () => {} });
    cutOff = await createTestApp({
      // Without profiles, nobody is looked up.
      config: { password_hooks_profiles: true },
      ...{ database: { uri, db, drop: () => db.close() }, stagedWaits: true },
    });
  });
  afterAll(() => cutOff.close());

  it.each(NAMED)('%s answers as its row says', async (_name, { row, method, url, example }) => {
    const { body, headers } = example();
    const answer = await cutOff.send(method, url, body, headers);
    if (url === '/health/ready') {
      // What the probe is for: it answers by itself, and says what is missing.
      expect([answer.status, answer.text]).toEqual([503, '{"status":"unavailable","reason":"database"}']);
    } else if (row.storage === 'no database') {
      expect(answer.status).toBe(200);
    } else {
      expect(answer).toMatchObject(failure(503, 'STORAGE_UNAVAILABLE', 'Storage is unavailable'));
      // A provider that repeats a call of a hook has the password verified again.
      expect(answer.headers['retry-after']).toBe(row.hook === undefined ? '1' : undefined);
    }
  });
});

describe('the policy page', () => {
  it('has everything that is answered, but for the interface description and the page, and each once', () => {
    const rows = ENDPOINTS.map(nameOf);
    expect(rows.filter((row, index) => rows.indexOf(row) < index)).toEqual([]);
    const others = [...answered.keys()].filter((one) => !one.startsWith('HEAD ') && !rows.includes(one));
    expect(others.filter((one) => !/^GET (\/openapi\.json$|\/(docs|imports)(\/|$))/.test(one))).toEqual([]);
    expect(rows.filter((row) => !answered.has(row))).toEqual([]);
  });

  it('lets nobody in without a key but to greetings, probes, the interface description and the page', () => {
    const open = [...answered].filter(([, { isOpen }]) => isOpen).map(([endpoint]) => endpoint.split(' ')[1]);
    const expected = /^\/(hello|health\/live|health\/ready|openapi\.json|(docs|imports)(\/.*)?)?$/;
    expect(open.filter((path) => !expected.test(path ?? ''))).toEqual([]);
  });

  const described = ROUTES.map((row) => [nameOf(firstOf(row)), row] as const);

  it.each(described)('has %s in the interface description', async (name, row) => {
    const { method, path } = firstOf(row);
    const operation =
      service.app.swagger().paths?.[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase() as 'get'];
    expect(operation, `${name} in /openapi.json`).toMatchObject({
      summary: expect.stringMatching(/./),
      tags: expect.arrayContaining([expect.any(String)]),
    });
    expect(operation?.security).toEqual(row.key === 'open' ? [] : undefined);
    const codes = JSON.stringify(operation?.responses);
    if (isOfProvider(row)) return;
    for (const code of row.route.errors) expect(codes).toContain(code);
  });
});
