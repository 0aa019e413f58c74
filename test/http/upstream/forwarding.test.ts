import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { RIGHTS, type Right } from '../../../src/config/api-keys.ts';
import { ROUTES } from '../../../src/http/routes/index.ts';
import { CDI_VERSIONS } from '../../../src/http/server/request-checks.ts';
import { API_KEY, createTestApp, type TestApp } from '../../support/app.ts';
import { rawRequest, rawSocket } from '../../support/raw-socket.ts';
import { isOfProvider } from '../route-examples.ts';

const CORE_KEY = 'core-key-0123456789-abcdef';

const keyOf = (right: Right) => `key-that-may-only-${right}`;

interface Received {
  method: string | undefined;
  url: string | undefined;
  rawHeaders: string[];
  body: Buffer;
}

let core: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let received: Received[];
let service: TestApp;
let url: string;

beforeAll(async () => {
  core = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url: path, rawHeaders } = request;
      received.push({ method, url: path, rawHeaders, body: Buffer.concat(chunks) });
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => core.listen(0, '127.0.0.1', resolve));
  const { port } = core.address() as AddressInfo;
  service = await createTestApp({
    config: {
      upstream_core_uri: `http://127.0.0.1:${port}/base`,
      upstream_core_api_key: CORE_KEY,
      api_keys: [
        { name: 'all', key: API_KEY, allow: ['import', 'signin', 'read', 'manage'] },
        ...RIGHTS.map((right) => ({ name: `only-${right}`, key: keyOf(right), allow: [right] })),
      ],
    },
  });
  url = await service.app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await service.close();
  core.closeAllConnections();
  core.close();
});
beforeEach(() => {
  received = [];
  answer = (_request, response) => response.end('{}');
});

const valuesOf = (name: string, { rawHeaders }: Received) =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
const one = (): Received => {
  expect(received).toHaveLength(1);
  return received[0] as Received;
};
/** Sends raw bytes, and resolves to the answer. */
const exchange = (request: string) =>
  rawSocket(url, request.replace('\r\n', '\r\nConnection: close\r\n')).closed;

it.each([
  ['GET', '/recipe/session'],
  ['POST', '/appid-a/t1/recipe/signin?x=%20%2F&x=2'],
  ['PUT', '/t1/users?limit=5&limit=6'],
  ['DELETE', '/recipe/%C3%A4/B?a=b?c#d'],
  ['PATCH', '/Recipe/session/'],
  ['OPTIONS', '/recipe/%20%25%2B%40'],
  ['HEAD', '/recipe/signup/'],
])('forwards %s %s as it is', async (method, path) => {
  await exchange(rawRequest(method, path));
  expect(one()).toMatchObject({ method, url: `/base${path}` });
});

it.each([
  ['of a length', { 'content-length': '5' }, 'a\0\xffb\n'],
  ['in chunks', { 'transfer-encoding': 'chunked' }, '2\r\na\0\r\n3\r\n\xffb\n\r\n0\r\n\r\n'],
])('forwards a body %s byte for byte, whatever its type', async (_what, headers, body) => {
  await exchange(rawRequest('POST', '/recipe/x', { ...headers, 'content-type': 'text/strange' }, body));
  expect(one().body).toEqual(Buffer.from('a\0\xffb\n', 'latin1'));
  expect(valuesOf('content-type', one())).toEqual(['text/strange']);
});

it('forwards large bodies of any bytes in both directions', { timeout: 60_000 }, async () => {
  const body = Buffer.alloc(
    16 * 1024 * 1024,
    Uint8Array.from({ length: 256 }, (_, byte) => byte),
  );
  answer = (_request, response) => response.end(received[0]?.body);
  const response = await fetch(`${url}/recipe/x`, { method: 'POST', headers: { 'api-key': API_KEY }, body });
  expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true);
});

it('sends the key of the core in place of the key of the caller', async () => {
  for (const name of ['api-key', 'authorization', 'API-KEY']) {
    received = [];
    await exchange(rawRequest('GET', '/recipe/x', { 'api-key': undefined, [name]: API_KEY }));
    expect(valuesOf('api-key', one())).toEqual([CORE_KEY]);
    expect(JSON.stringify(one().rawHeaders)).not.toContain(API_KEY);
  }
});

it.each(['/recipe/x', '/users', '/t1/users', '/hello/x'])(
  'forwards %s with a valid key only',
  async (path) => {
    for (const key of [undefined, 'wrong', CORE_KEY]) {
      expect(await exchange(rawRequest('GET', path, { 'api-key': key }))).toContain('401 Unauthorized');
    }
    expect(received).toEqual([]);
  },
);

const OPEN: [method: string, path: string][] = [
  ['GET', '/.well-known/jwks.json'],
  ['GET', '/.well-known/sp-metadata'],
  ['POST', '/recipe/saml/legacy/token'],
  ['GET', '/recipe/saml/legacy/userinfo'],
  ['GET', '/hello'],
];
const PREFIXES = ['', '/t1', '/public', '/appid-a', '/appid-', '/appid-a/t1', '/appid-public/public'];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'];
const TOKEN = 'Bearer 7f9c.client-1';
const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '6' };

/** This service answers `/hello` itself, also in the public tenant. */
const isOwn = (path: string) => /^(\/appid-(public)?)?(\/public)?\/hello$/.test(path);

it.each(OPEN.flatMap(([method, path]) => PREFIXES.map((prefix) => [method, prefix + path] as const)))(
  'forwards %s %s without a key, sends none, and no other method',
  async (method, path) => {
    for (const other of METHODS) {
      received = [];
      const isOpen = other === method || (other === 'HEAD' && method === 'GET');
      const body = other === 'POST' ? 'code=1' : '';
      const headers = { 'api-key': undefined, ...(body && FORM) };
      const text = await exchange(rawRequest(other, path, headers, body));
      if (isOwn(path)) {
        expect([other, received]).toEqual([other, []]);
        continue;
      }
      expect([other, text.slice(9, 12), received.length]).toEqual([
        other,
        isOpen ? '200' : '401',
        isOpen ? 1 : 0,
      ]);
      if (!isOpen) continue;
      expect(one()).toMatchObject({ url: `/base${path}`, body: Buffer.from(body) });
      expect(valuesOf('api-key', one())).toEqual([]);
    }
  },
);

it('passes on the access token of SAML where the core reads it, and never the key of a caller', async () => {
  const paths = [
    ...OPEN.map(([method, path]) => [method, `/t1${path}`] as const),
    ...PREFIXES.map((prefix) => ['GET', `${prefix}/recipe/saml/legacy/userinfo`] as const),
    ['GET', '/t1/users'] as const,
  ];
  for (const [method, path] of paths)
    for (const authorization of [TOKEN, `Bearer ${API_KEY}`, API_KEY, `bearer ${API_KEY}`]) {
      received = [];
      const key = path === '/t1/users' ? API_KEY : undefined;
      await exchange(rawRequest(method, path, { 'api-key': key, authorization }));
      const isPassedOn = path.endsWith('/userinfo') && authorization === TOKEN;
      expect([path, valuesOf('authorization', one())]).toEqual([path, isPassedOn ? [TOKEN] : []]);
      expect(valuesOf('api-key', one())).toEqual(key === undefined ? [] : [CORE_KEY]);
      expect(JSON.stringify(one().rawHeaders)).not.toContain(API_KEY);
    }
});

it('drops headers of the connection, and those that Connection lists', async () => {
  const listed = {
    connection: 'close, x-mine, content-length, cdi-version',
    'x-mine': '1',
    te: 'trailers',
    upgrade: 'h2c',
    'keep-alive': 'timeout=5',
    'proxy-authorization': 'x',
  };
  await exchange(rawRequest('POST', '/recipe/x', { ...listed, 'content-length': '2', rid: 'session' }, '{}'));
  const names = one()
    .rawHeaders.filter((_, index) => index % 2 === 0)
    .map((name) => name.toLowerCase());
  for (const name of ['x-mine', 'te', 'upgrade', 'keep-alive', 'proxy-authorization'])
    expect(names).not.toContain(name);
  expect(valuesOf('rid', one())).toEqual(['session']);
  expect(one().body.toString()).toBe('{}');
});

const SECOND = rawRequest('GET', '/smuggled');
it.each<[what: string, headers: Record<string, string>, body: string]>([
  ['two lengths', { 'content-length': '3\r\nContent-Length: 0' }, 'abc'],
  ['a length and chunks', { 'content-length': '5', 'transfer-encoding': 'chunked' }, `0\r\n\r\n${SECOND}`],
  ['a signed length', { 'content-length': '+3' }, 'abc'],
  ['a hexadecimal length', { 'content-length': '0x3' }, 'abc'],
  ['another encoding', { 'transfer-encoding': 'xchunked' }, `0\r\n\r\n${SECOND}`],
  ['chunks before another encoding', { 'transfer-encoding': 'chunked, gzip' }, `0\r\n\r\n${SECOND}`],
  ['a blank before the colon', { 'transfer-encoding ': 'chunked' }, `0\r\n\r\n${SECOND}`],
  ['a folded header', { 'x-a': '1\r\n transfer-encoding: chunked' }, ''],
  ['a bare line feed', { 'x-a': '1\nx-b: 2' }, ''],
  ['a chunk longer than it says', { 'transfer-encoding': 'chunked' }, `1\r\nabc\r\n0\r\n\r\n${SECOND}`],
  ['a length of a chunk that overflows', { 'transfer-encoding': 'chunked' }, `fffffffffffffffff\r\na`],
  ['an extension with a bare line feed', { 'transfer-encoding': 'chunked' }, `1;\na\r\na\r\n0\r\n\r\n`],
])('refuses %s, and no other request gets through', async (_what, headers, body) => {
  const text = await exchange(rawRequest('POST', '/recipe/x', headers, body));
  expect(received.filter(({ url: path }) => path?.includes('smuggled'))).toEqual([]);
  expect(text).not.toContain('200 OK');
});

it('takes what follows a body for a request of its own, with a check of its key', async () => {
  const first = rawRequest('POST', '/recipe/x', { 'content-length': '2' }, '{}');
  const second = rawRequest('GET', '/t1/users', { 'api-key': 'wrong', connection: 'close' });
  const text = await rawSocket(url, first + second).closed;
  expect(text).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*HTTP\/1\.1 401 /);
  expect(one().body.toString()).toBe('{}');
});

it('drops trailers, and offers of another protocol', async () => {
  const chunks = `2\r\n{}\r\n0\r\napi-key: ${CORE_KEY}\r\nx-trailer: 1\r\n\r\n`;
  await rawSocket(
    url,
    rawRequest('POST', '/recipe/x', { 'transfer-encoding': 'chunked', trailer: 'x-trailer' }, chunks).replace(
      '\r\n',
      '\r\nConnection: close\r\n',
    ),
  ).closed;
  const offer = { connection: 'upgrade, http2-settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' };
  const caller = rawSocket(url, rawRequest('GET', '/recipe/y', offer));
  await expect.poll(() => caller.text(), { timeout: 5000 }).toContain('200 OK');
  caller.socket.destroy();
  expect(received).toHaveLength(2);
  expect(JSON.stringify(received.map(({ rawHeaders }) => rawHeaders))).not.toMatch(/trailer|h2c|http2/i);
});

it.each([
  [
    'a length that is too short',
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabcdef',
    /200 OK[\s\S]*\r\n\r\nab$|503/,
  ],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 4\r\n\r\nabcd', /503/],
  [
    'a length and chunks',
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    /503/,
  ],
  ['a head that is too large', `HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(70_000)}\r\n\r\n`, /503/],
  ['a control character', 'HTTP/1.1 200 OK\r\nx-a: a\x01b\r\nContent-Length: 0\r\n\r\n', /503/],
  ['no HTTP', 'hello\r\n\r\n', /503/],
  ['another protocol', 'HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n', /503/],
  [
    'a second answer',
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged',
    /200 OK[\s\S]*\r\n\r\nab$/,
  ],
])('survives an answer with %s', async (_what, raw, expected) => {
  answer = (request) => request.socket.write(raw, 'latin1');
  expect(await exchange(rawRequest('GET', '/recipe/x'))).toMatch(expected);
  answer = (_request, response) => response.end('next');
  expect(await exchange(rawRequest('GET', '/recipe/y'))).toMatch(/200 OK[\s\S]*next$/);
});

it('refuses a body above 16 MiB before it arrives', async () => {
  const headers = { 'content-length': String(16 * 1024 * 1024 + 1) };
  expect(await exchange(rawRequest('POST', '/recipe/x', headers, 'some'))).toContain('413 Payload Too Large');
  expect(received).toEqual([]);
});

it('passes on status, headers and body of the answer', async () => {
  answer = (_request, response) => {
    response.writeHead(418, 'strange', {
      'set-cookie': ['a=1', 'b=2'],
      'x-core': 'yes',
      'content-type': 'text/html;charset=UTF-8',
      'keep-alive': 'timeout=1',
    });
    response.end('Not found\n');
  };
  const text = await exchange(rawRequest('GET', '/recipe/x'));
  expect(text).toMatch(/^HTTP\/1\.1 418 /);
  expect(text).toContain('set-cookie: a=1\r\nset-cookie: b=2');
  expect(text).toContain('content-type: text/html;charset=UTF-8');
  expect(text).not.toContain('timeout=1');
  expect(text.split('\r\n\r\n').slice(1).join()).toContain('Not found\n');
  expect(text).not.toContain(CORE_KEY);
});

it.each(['GET', 'POST'] as const)(
  'the answer to %s is private, unless the core says otherwise',
  async (method) => {
    const paths = ['/recipe/x', '/recipe/signin', '/users/by-accountinfo'];
    for (const path of [...paths, ...(method === 'GET' ? ['/.well-known/jwks.json'] : [])]) {
      answer = (_request, response) => response.end('{}');
      const { headers } = await service.send(method, path, method === 'GET' ? undefined : {});
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
      answer = (_request, response) => response.writeHead(200, { 'cache-control': 'max-age=60' }).end('{}');
      expect((await service.send(method, path, method === 'GET' ? undefined : {})).headers).toMatchObject({
        'cache-control': 'max-age=60',
        'x-content-type-options': 'nosniff',
      });
    }
  },
);

it.each([
  '/a/../admin',
  '/..',
  '/../hello',
  '/a/../.well-known/jwks.json',
  '/a/%2e%2E/x',
  '/a/..;x/b',
  '/a%2f..%2fb',
  '/a\\..\\b',
  '//recipe/user',
  '/;a/recipe/user',
  '/recipe/user;x',
  '/recipe/user%3bx',
  '/%75ser/remove',
  '/recipe/%55SER',
  '/bul%E2%84%AA-import/import',
  'http://x/t1/hello',
])('never forwards %s, which the core may read as another path', async (path) => {
  expect(await exchange(rawRequest('GET', path))).toMatch(/^HTTP\/1\.1 40[04] /);
  expect(received).toEqual([]);
});

it('never forwards a path of its own, nor TRACE, whose answer would hold the key of the core', async () => {
  expect(await exchange(rawRequest('TRACE', '/recipe/x'))).toMatch(/^HTTP\/1\.1 40[045] /);
  for (const path of [
    '/bulk-import/stream',
    '/HAND-OVER/',
    '/public/bulk-import/imports',
    '/recipe/user/passwordhash/import',
  ]) {
    expect(await exchange(rawRequest('PATCH', path))).toContain('405 Method Not Allowed');
  }
  expect(received).toEqual([]);
});

it('never forwards a route of its own, whatever app, tenant and version it names', async () => {
  // With a core, no provider is asked in its own form.
  const own = ROUTES.filter((row) => row.inFrontOfCore !== 'core' && !isOfProvider(row))
    .flatMap((row) => row.path)
    .filter((path) => path !== '/' && path !== '/hello');
  expect(own.length).toBeGreaterThan(20);
  const prefixes = [
    '/ghost',
    '/appid-/ghost',
    '/appid-public/ghost',
    '/appid-other',
    '/APPID-other/t1',
    '/recipe',
  ];
  const versions = ['2.21', '3.0', '4.0', '5.6', undefined];
  for (const [place, path] of own.map((one) => one.replace(/:\w+/g, 'import-1')).entries())
    for (const [index, prefix] of prefixes.entries())
      for (const method of ['GET', 'POST'] as const) {
        // Each path is tried with each prefix, and each prefix with each version.
        const version = versions[(place + index) % versions.length];
        const headers = { 'cdi-version': version, 'api-key': keyOf('read') };
        const { status } = await service.send(method, `${prefix}${path}`, undefined, headers);
        expect([path, prefix, status >= 400]).toEqual([path, prefix, true]);
      }
  expect(received).toEqual([]);
});

it.each(['', '/public', '/appid-', '/appid-public/public'])(
  'tells the versions that both speak under %s/apiversion',
  async (prefix) => {
    answer = (_request, response) => response.end('{"versions":["2.7","5.6","5.0","5.3","9.9","5.5"]}');
    const { body } = await service.send('GET', `${prefix}/apiversion`);
    expect(body).toEqual({ versions: ['5.0', '5.3', '5.5', '5.6'] });
  },
);

it.each([...CDI_VERSIONS, '2.7', '5.7', 'x', undefined])(
  'passes on version %s of the caller',
  async (version) => {
    for (const [method, path] of [
      ['GET', '/recipe/session'],
      ['POST', '/recipe/signin'],
      ['PUT', '/recipe/user'],
      ['GET', '/users/count?allowApproximate=true'],
    ] as const) {
      // Which member names the user depends on the version.
      if (method === 'PUT' && version === 'x') continue;
      received = [];
      const body = method === 'GET' ? '' : '{}';
      await exchange(
        rawRequest(method, path, { 'cdi-version': version, 'content-length': String(body.length) }, body),
      );
      expect(valuesOf('cdi-version', one())).toEqual(version === undefined ? [] : [version]);
    }
  },
);

it.each([
  ['a long answer of unknown length', {}, 100_000],
  ['a long answer of a known length', { 'content-length': '1000000' }, 100_000],
  ['a short answer of unknown length', {}, 4],
  ['a short answer of a known length', { 'content-length': '100' }, 4],
])('breaks off or answers 503 when the core breaks off %s', async (_what, headers, bytes) => {
  answer = (_request, response) => {
    response.writeHead(200, headers);
    response.write('a'.repeat(bytes));
    setTimeout(() => response.destroy(), 50);
  };
  const asked = fetch(`${url}/recipe/x`, { headers: { 'api-key': API_KEY } });
  if (bytes > 1000) await expect(asked.then((response) => response.text())).rejects.toThrow();
  else expect((await asked).status).toBe(503);
});

it('passes on a long answer of unknown length while it comes', async () => {
  let goOn = () => {};
  answer = (_request, response) => {
    response.write(`${'a'.repeat(100_000)}first`);
    goOn = () => response.end('last');
  };
  const caller = rawSocket(url, rawRequest('GET', '/recipe/x', { connection: 'close' }));
  let text = '';
  caller.socket.on('data', (chunk) => (text += chunk));
  await expect.poll(() => text, { timeout: 5000 }).toContain('first');
  goOn();
  expect(await caller.closed).toContain('last');
});

it.each([
  ['HEAD', 200, '1000'],
  ['GET', 204, undefined],
  ['GET', 304, undefined],
])('passes on the answer to %s with status %s, which has no body', async (method, status, length) => {
  answer = (_request, response) =>
    response.writeHead(status, { 'x-core': 'yes', ...(length && { 'content-length': length }) }).end();
  const text = await exchange(rawRequest(method, '/recipe/x'));
  expect(text).toContain('x-core: yes');
  expect(/content-length: (\d+)/.exec(text)?.[1]).toBe(length);
  expect(text).toMatch(/\r\n\r\n$/);
});

it('waits for the answer behind an interim one', async () => {
  answer = (_request, response) => {
    response.writeEarlyHints({ link: '</x>; rel=preload' });
    response.end('final');
  };
  expect(await exchange(rawRequest('GET', '/recipe/x'))).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*final/);
});

it('answers 503 when the core breaks the connection, and sends the request once, as the core may have acted on it', async () => {
  answer = (request) => request.socket.destroy();
  for (const method of ['GET', 'POST'] as const)
    expect(await service.send(method, '/recipe/x', method === 'GET' ? undefined : {})).toMatchObject({
      status: 503,
      body: { code: 'CORE_UNAVAILABLE' },
      headers: { 'retry-after': '1' },
    });
  expect(received).toHaveLength(2);
  answer = (_request, response) => response.end('{}');
  expect(await service.send('GET', '/recipe/x')).toMatchObject({ status: 200 });
});

it('breaks off the call of a caller who has left', async () => {
  let isClosed = false;
  answer = (_request, response) => response.once('close', () => (isClosed = true));
  const caller = rawSocket(url, rawRequest('GET', '/recipe/x'));
  await expect.poll(() => received.length, { timeout: 5000 }).toBe(1);
  caller.socket.destroy();
  await expect.poll(() => isClosed, { timeout: 5000 }).toBe(true);
});

it.each<[method: 'GET' | 'POST' | 'PUT', path: string, needed: Right | 'any' | 'open']>([
  ['GET', '/recipe/session', 'read'],
  ['GET', '/recipe/multitenancy/tenant', 'manage'],
  ['POST', '/t1/recipe/session/verify', 'signin'],
  ['POST', '/recipe/signin', 'signin'],
  ['PUT', '/recipe/user', 'manage'],
  ['POST', '/user/remove', 'manage'],
  ['POST', '/recipe/user/password/reset', 'manage'],
  ['GET', '/apiversion', 'any'],
  ['GET', '/.well-known/jwks.json', 'open'],
])(
  '%s %s needs a key with the right %s, and does not reach the core without',
  async (method, path, needed) => {
    for (const right of RIGHTS) {
      received = [];
      const body = method === 'GET' ? undefined : {};
      const { status } = await service.send(method, path, body, { 'api-key': keyOf(right) });
      const isAllowed = needed === right || needed === 'any' || needed === 'open';
      expect([right, status, received.length]).toEqual([right, isAllowed ? 200 : 403, isAllowed ? 1 : 0]);
    }
  },
);

it('forwarded calls have one label set in the metrics', async () => {
  await service.send('GET', '/t1/recipe/session');
  await service.send('PUT', '/recipe/anything', {});
  const { text } = await service.send('GET', '/metrics');
  const lines = text
    .split('\n')
    .filter((line) => line.includes('_count{') && /\/recipe\/x|forwarded/.test(line));
  for (const line of lines) expect(line).toContain('{method="any",route="forwarded",status="');
  expect(lines.length).toBeGreaterThan(0);
});
