/** Callers that send or take slowly hold no connection to the core that other calls need. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../support/app.ts';
import { type RawSocket, rawRequest, rawSocket } from '../../support/raw-socket.ts';

/** Path of an answer that does not end. */
const LONG = '/t1/long';

let core: Server;
/** Requests that the core has received, by path. */
let received: string[];
/** Connections on which the core has received requests for /t1/hello. */
let hellos: Set<Socket>;
let service: TestApp;
let url: string;
let callers: RawSocket[];

beforeAll(async () => {
  core = createServer((request, response) => {
    received.push(request.url ?? '');
    if (request.url === '/t1/hello') hellos.add(request.socket);
    request.resume().on('end', () => {
      if (request.url?.startsWith(LONG)) Readable.from(endless()).pipe(response);
      else response.end(`{"status":"OK","versions":["5.0"]}`);
    });
  });
  await new Promise<void>((resolve) => core.listen(0, '127.0.0.1', resolve));
  const { port } = core.address() as AddressInfo;
  service = await createTestApp({ config: { upstream_core_uri: `http://127.0.0.1:${port}` } });
  url = await service.app.listen({ port: 0, host: '127.0.0.1' });
});
beforeEach(() => {
  received = [];
  callers = [];
  hellos = new Set();
});
afterEach(() => {
  for (const { socket } of callers) socket.destroy();
});
afterAll(async () => {
  await service.close();
  core.closeAllConnections();
  core.close();
});

function* endless() {
  const chunk = Buffer.alloc(64 * 1024, 'a');
  for (;;) yield chunk;
}

const call = (bytes: string): RawSocket => {
  const caller = rawSocket(url, bytes);
  callers.push(caller);
  return caller;
};
/** Opens this many callers that send these bytes, and then nothing. */
const stall = (count: number, bytes: string) => Array.from({ length: count }, () => call(bytes));
const answered = (waiting: RawSocket[], status: string) =>
  expect
    .poll(() => waiting.filter((one) => one.text().includes(status)).length, { timeout: 20_000, interval: 5 })
    .toBe(waiting.length);
const servesOthers = async () => {
  const answers = await Promise.all([
    service.send('POST', '/recipe/session/verify', { a: 1 }),
    service.send('POST', '/recipe/signin', { email: 'a@b.c', password: 'x' }),
    service.send('GET', '/t1/users'),
    service.front?.core.countUsers().catch((error: { code: string }) => ({ status: error.code })),
  ]);
  // The double of this test answers no count, but it answers.
  expect(answers.map((one) => (one as { status: unknown }).status)).toEqual([
    200,
    200,
    200,
    'CORE_UNAVAILABLE',
  ]);
  expect(received).toContain('/users/count');
};

const FRAMINGS: [string, Record<string, string>, string][] = [
  ['of a length', { 'content-length': '10' }, '{"a":'],
  ['in chunks', { 'transfer-encoding': 'chunked' }, '5\r\n{"a":\r\n'],
];
const STALLS = FRAMINGS.flatMap(([framing, headers, begun]) => [
  { framing, headers, at: 'at its start', begun: '' },
  { framing, headers, at: 'in its middle', begun },
]);

describe.each(STALLS)('a body $framing that stalls $at', ({ headers, begun }) => {
  it.each([
    '/.well-known/jwks.json',
    '/t1/.well-known/jwks.json',
    '/a/t1/.well-known/jwks.json',
    '/t1/hello',
  ])('of %s without a key is not awaited', async (path) => {
    await answered(
      ['GET', 'HEAD'].map((method) =>
        call(rawRequest(method, path, { 'api-key': undefined, ...headers }, begun)),
      ),
      '200 OK',
    );
    expect(received).toEqual([path, path]);
  });

  it.each(['/recipe/session', '/users/by-accountinfo?email=a', '/apiversion', '/t1/users'])(
    'of GET %s is not awaited',
    async (path) => {
      await answered([call(rawRequest('GET', path, headers, begun))], '200 OK');
      expect(received).toContain(path);
    },
  );

  it.each([
    ['POST', '/recipe/session/verify'],
    ['POST', '/recipe/signin'],
    ['POST', '/recipe/signup'],
    ['PUT', '/recipe/user'],
    ['POST', '/user/remove'],
    ['POST', '/recipe/user/password/reset'],
    ['POST', '/t1/recipe/signin'],
    ['PUT', '/appid-a/t1/recipe/x'],
    ['PATCH', '/recipe/x'],
    ['DELETE', '/recipe/x'],
    ['OPTIONS', '/recipe/x'],
  ])('of %s %s keeps the call from the core until it has arrived', async (method, path) => {
    const waiting = [undefined, 'application/json', 'text/plain'].map((type) =>
      call(rawRequest(method, path, { ...headers, 'content-type': type }, begun)),
    );
    // Requests of other connections that arrive later overtake these.
    await answered([call(rawRequest('GET', '/recipe/after'))], '200 OK');
    expect(received).not.toContain(path);
    const rest = begun === '' ? '{"a":"bcd"' : '"bcd"';
    const isChunked = 'transfer-encoding' in headers;
    const bytes = isChunked ? `${rest.length.toString(16)}\r\n${rest}\r\n0\r\n\r\n` : rest;
    for (const { socket } of waiting) socket.write(bytes);
    await answered(waiting, 'HTTP/1.1 ');
  });
});

it('300 callers without a key whose bodies stall delay nobody', { timeout: 60_000 }, async () => {
  for (const { headers, begun } of STALLS) {
    const options = { 'api-key': undefined, ...headers };
    await answered(stall(75, rawRequest('GET', '/.well-known/jwks.json', options, begun)), '200 OK');
  }
  await servesOthers();
});

it('300 callers with the right to sign in whose bodies stall delay nobody', { timeout: 60_000 }, async () => {
  for (const { headers, begun } of STALLS)
    stall(75, rawRequest('POST', '/t1/recipe/session/verify', headers, begun));
  await servesOthers();
  expect(received).not.toContain('/t1/recipe/session/verify');
});

it('300 callers that read nothing of a short answer delay nobody', { timeout: 60_000 }, async () => {
  for (const caller of stall(300, rawRequest('GET', '/t1/hello', { 'api-key': undefined })))
    caller.socket.pause();
  await expect.poll(() => received.length, { timeout: 20_000 }).toBe(300);
  await servesOthers();
  // However many they are, callers without a key have sixteen connections.
  expect(hellos.size).toBeLessThanOrEqual(16);
});

it('callers that read nothing of a long answer hold 128 connections at most', {
  timeout: 120_000,
}, async () => {
  const slow = Array.from({ length: 140 }, (_, index) => {
    const caller = call(rawRequest('GET', `${LONG}/${index}`));
    caller.socket.once('data', () => caller.socket.pause());
    return caller;
  });
  await expect
    .poll(() => slow.filter((one) => one.text().startsWith('HTTP/1.1 503')).length, { timeout: 60_000 })
    .toBe(12);
  expect(slow.filter((one) => one.text().startsWith('HTTP/1.1 200')).length).toBe(128);
  await servesOthers();
  // A place is free again as soon as one of them has left.
  slow.find((one) => one.text().startsWith('HTTP/1.1 200'))?.socket.destroy();
  await expect
    .poll(
      async () => {
        const caller = call(rawRequest('GET', `${LONG}/again`));
        await new Promise((resolve) => caller.socket.once('data', resolve));
        caller.socket.pause();
        return caller.text().slice(9, 12);
      },
      { timeout: 20_000 },
    )
    .toBe('200');
});
