import { lookup } from 'node:dns/promises';
import { EventEmitter, once } from 'node:events';
import type { Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Connections } from '../../../src/http/server/connections.ts';
import { useTestApp } from '../../support/app.ts';
import { NDJSON } from '../../support/ndjson.ts';
import { openConnections, rawRequest, rawSocket, statusesIn } from '../../support/raw-socket.ts';

const TIMEOUT_MS = 400;

/**
 * A service with routes that report requests in progress, and that answer with more than all buffers hold.
 */
let url: string;
let atWork = 0;
let mostAtWork = 0;
let handled = 0;
const service = await useTestApp({ config: { request_timeout_ms: TIMEOUT_MS } });
beforeAll(async () => {
  const { app } = service;
  app.get<{ Params: { n: string } }>('/slow/:n', async ({ params }) => {
    handled += 1;
    atWork += 1;
    mostAtWork = Math.max(mostAtWork, atWork);
    await sleep(5);
    atWork -= 1;
    return { n: params.n };
  });
  const much = Buffer.alloc(16 * 1024 * 1024, 'x');
  app.get('/much', async () => much);
  app.get('/long', async () => {
    await sleep(3 * TIMEOUT_MS);
    return { done: true };
  });
  app.post<{ Body: Readable }>('/lines', { config: { body: 'ndjson stream' } }, async (request) => {
    await request.body.resume().toArray();
    return {};
  });
  app.post<{ Body: Readable }>('/early', { config: { body: 'ndjson stream' } }, async (_request, reply) => {
    void reply.header('connection', 'close');
    await sleep(100);
    return { early: true };
  });
  url = await app.listen({ port: 0, host: '127.0.0.1' });
});

const hello = async () => (await fetch(`${url}/hello`, { headers: { connection: 'close' } })).text();

describe('requests of one connection', () => {
  it('are handled one after the other, however fast they arrive', async () => {
    mostAtWork = 0;
    const requests = Array.from({ length: 20 }, (_, n) => rawRequest('GET', `/slow/${n}`));
    const { text, socket } = rawSocket(url, requests.join(''));
    await expect.poll(() => statusesIn(text())).toHaveLength(20);
    expect([...text().matchAll(/"n":"(\d+)"/g)].map(([, n]) => Number(n))).toEqual([...Array(20).keys()]);
    expect(mostAtWork).toBe(1);
    socket.destroy();
  });

  it('close the connection if there are far too many', async () => {
    handled = 0;
    const { closed } = rawSocket(url, rawRequest('GET', '/slow/1').repeat(1000));
    expect(statusesIn(await closed).length).toBeLessThan(10);
    await sleep(20);
    expect(handled).toBeLessThan(10);
    expect(await hello()).toBe('Hello');
  });

  it('are not begun after the connection is closed', async () => {
    handled = 0;
    const { socket } = rawSocket(url, rawRequest('GET', '/slow/1').repeat(30));
    await expect.poll(() => handled, { interval: 1 }).toBeGreaterThan(0);
    socket.destroy();
    await expect.poll(() => openConnections(service)).toBe(0);
    await sleep(50);
    expect(handled).toBeLessThan(30);
  });
});

describe('an answer before the end of the body', () => {
  const ENDLESS = { 'content-type': NDJSON, 'content-length': String(1024 ** 3) };

  /** Sends far more than the service reads, and only then begins to read. */
  async function sendFirst(path: string, headers: Record<string, string> = ENDLESS) {
    const raw = rawSocket(url, rawRequest('POST', path, headers));
    raw.socket.pause();
    for (let sent = 0; sent < 300; sent += 1) raw.socket.write(Buffer.alloc(64 * 1024, 'x'));
    await sleep(300);
    raw.socket.resume();
    return raw;
  }

  it('is received, although the connection is then closed', async () => {
    const { text, closed } = await sendFirst('/early');
    await expect.poll(text).toContain('{"early":true}');
    // Node closes the connection as soon as it sees that the service has.
    await closed;
  });

  it('is the last one for a caller that sends without end', async () => {
    const raw = rawSocket(url, rawRequest('POST', '/early', ENDLESS));
    raw.socket.allowHalfOpen = true;
    const sending = setInterval(() => raw.socket.write('x'), 10);
    onTestFinished(() => clearInterval(sending));
    expect(await raw.closed).toContain('{"early":true}');
    await expect.poll(() => openConnections(service)).toBe(0);
  });

  it('is received for a body that is too large, too', async () => {
    const { text, socket } = await sendFirst('/recipe/signin', {
      ...ENDLESS,
      'content-type': 'application/json',
    });
    await expect.poll(() => statusesIn(text())).toEqual([413]);
    await expect.poll(text).toContain('BODY_TOO_LARGE');
    socket.destroy();
  });
});

describe('an answer that the caller does not read', () => {
  it('is cut off', async () => {
    const { socket } = rawSocket(url, rawRequest('GET', '/much'));
    socket.pause();
    await expect.poll(() => openConnections(service)).toBeGreaterThan(0);
    await expect.poll(() => openConnections(service), { timeout: 10_000 }).toBe(0);
    socket.destroy();
  });

  it('is cut off although the caller sends bytes slowly', async () => {
    const { socket } = rawSocket(url, rawRequest('GET', '/much'));
    socket.pause();
    const trickle = setInterval(() => socket.write('GET /much HTTP/1.1\r\nhost: x\r\n\r\n'.slice(0, 1)), 50);
    await expect.poll(() => openConnections(service)).toBeGreaterThan(0);
    await expect.poll(() => openConnections(service), { timeout: 10_000 }).toBe(0);
    clearInterval(trickle);
    socket.destroy();
  });

  it('is kept while the caller reads parts of it, and while the service works on it', async () => {
    const { socket, closed } = rawSocket(url, rawRequest('GET', '/long', { connection: 'close' }));
    expect(statusesIn(await closed)).toEqual([200]);
    socket.destroy();
  });
});

describe('invalid HTTP', () => {
  it('is answered after the requests before it', async () => {
    const { closed } = rawSocket(url, `${rawRequest('GET', '/slow/1').repeat(3)}nonsense\r\n\r\n`);
    const text = await closed;
    expect(statusesIn(text)).toEqual([200, 200, 200, 400]);
    expect(text).toContain('"code":"REQUEST_MALFORMED"');
  });

  it('is answered in place of the request whose body it is in', async () => {
    const chunked = rawRequest('POST', '/recipe/signin', {
      'content-type': 'application/json',
      'transfer-encoding': 'chunked',
    });
    const alone = rawSocket(url, `${chunked}zz\r\n`);
    expect(statusesIn(await alone.closed)).toEqual([400]);
    const behind = rawSocket(url, `${rawRequest('GET', '/slow/1')}${chunked}zz\r\n`);
    expect(statusesIn(await behind.closed)).toEqual([200, 400]);
  });

  it('ends a streamed import with a last line and nothing after it', async () => {
    const head = rawRequest('POST', '/bulk-import/stream?importId=broken', {
      'content-type': NDJSON,
      'transfer-encoding': 'chunked',
    });
    const { socket, text, closed } = rawSocket(url, `${head}3\r\n{}\n\r\n`);
    await expect.poll(text).toContain('"line":1');
    socket.write('zz\r\n');
    const report = await closed;
    expect(statusesIn(report)).toEqual([200]);
    expect(report).toMatch(
      /\{"error":\{"code":"REQUEST_MALFORMED","message":"[^"]*"\},"importId":"broken"\}\n\r\n0\r\n\r\n$/,
    );
  });

  it('does not change an answer that has begun', async () => {
    // Unauthorized, so it is answered before the end of its body.
    const early = rawRequest('POST', '/lines', {
      'api-key': 'wrong',
      'content-type': NDJSON,
      'transfer-encoding': 'chunked',
    });
    const { socket, text, closed } = rawSocket(url, early);
    await expect.poll(() => statusesIn(text())).toEqual([401]);
    socket.write('zz\r\n');
    expect(statusesIn(await closed)).toEqual([401]);
  });
});

describe('an invalid head', () => {
  const cases: [what: string, bytes: string, status: number, code: string][] = [
    ['has no Host', rawRequest('GET', '/users', { host: undefined }), 400, 'REQUEST_MALFORMED'],
    ['expects a miracle', rawRequest('GET', '/users', { expect: 'banana' }), 417, 'EXPECTATION_FAILED'],
    ['has a long path', rawRequest('GET', `/${'x'.repeat(17_000)}`), 414, 'URI_TOO_LONG'],
    ['has a far too long path', rawRequest('GET', `/${'x'.repeat(200_000)}`), 414, 'URI_TOO_LONG'],
    ['has a long query', rawRequest('GET', `/users?email=${'x'.repeat(17_000)}`), 414, 'URI_TOO_LONG'],
    [
      'has a large header',
      rawRequest('GET', '/users', { cookie: 'x'.repeat(17_000) }),
      431,
      'HEADERS_TOO_LARGE',
    ],
    [
      'has a huge header',
      rawRequest('GET', '/users', { cookie: 'x'.repeat(200_000) }),
      431,
      'HEADERS_TOO_LARGE',
    ],
  ];
  it.each(cases)('that %s is reported in JSON', async (_what, bytes, status, code) => {
    const text = await rawSocket(url, bytes).closed;
    expect(statusesIn(text)).toEqual([status]);
    const body = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4));
    expect(body).toMatchObject({ statusCode: status, code });
  });

  it('is reported for a path that cannot be decoded, too', async () => {
    const text = await rawSocket(url, rawRequest('GET', '/%', { host: undefined })).closed;
    expect(statusesIn(text)).toEqual([400]);
  });

  it('does not include a head with many headers', async () => {
    const many = Object.fromEntries(Array.from({ length: 2500 }, (_, n) => [n.toString(36), '']));
    const { socket, text } = rawSocket(
      url,
      rawRequest('GET', '/apiversion', { ...many, 'api-key': undefined, host: 'x' }).replace(
        '\r\n\r\n',
        `\r\n${rawRequest('', '').split('\r\n')[2]}\r\n\r\n`,
      ),
    );
    await once(socket, 'data');
    expect(statusesIn(text())).toEqual([200]);
    socket.destroy();
  });
});

/** Some machines have no IPv6, and some hosts files name one address of localhost only. */
const hasBoth =
  Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1')) &&
  (await lookup('localhost', { all: true })).some(({ address }) => address === '::1');

it.skipIf(!hasBoth)('treats both addresses of localhost alike', async () => {
  const { app } = service;
  await app.servers.listenBeside(app.server, 'localhost');
  const other = url.replace('127.0.0.1', '[::1]');
  const { closed } = rawSocket(other, `${rawRequest('GET', '/slow/1')}nonsense\r\n\r\n`);
  const text = await closed;
  expect(statusesIn(text)).toEqual([200, 400]);
  expect(text).toContain('"code":"REQUEST_MALFORMED"');
});

describe('an answer that is read slowly', () => {
  /** Opens a connection with a waiting answer, of which the caller reads `bytesPerSecond`. */
  function taken(bytesPerSecond: number) {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const connections = new Connections(30_000);
    onTestFinished(() => connections.close());
    const socket = Object.assign(new EventEmitter(), {
      bytesRead: 0,
      bytesWritten: 1_000_000,
      writableLength: 900_000,
      destroy: vi.fn(),
    });
    connections.add(socket as unknown as Socket);
    for (let second = 0; second < 600; second += 1) {
      socket.writableLength -= bytesPerSecond;
      vi.advanceTimersByTime(1000);
    }
    return socket.destroy;
  }

  it.each([0, 1, 50, 95])('at %i bytes a second is cut off', (bytesPerSecond) => {
    expect(taken(bytesPerSecond)).toHaveBeenCalled();
  });

  it.each([100, 1000])('at %i bytes a second is not cut off', (bytesPerSecond) => {
    expect(taken(bytesPerSecond)).not.toHaveBeenCalled();
  });
});
