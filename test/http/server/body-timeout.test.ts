import { connect } from 'node:net';
import type { Readable } from 'node:stream';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { API_KEY, createTestApp, useTestApp } from '../../support/app.ts';
import { openConnections } from '../../support/raw-socket.ts';

const TIMEOUT_MS = 5000;
const LATE = '{"statusCode":408,"code":"REQUEST_TIMEOUT","error":"Request Timeout",';

/** A service with routes that echo what they received, on a clock that the tests advance. */
let port: number;
const handled: unknown[] = [];
let begun = false;
const service = await useTestApp({ config: { request_timeout_ms: TIMEOUT_MS } });
beforeAll(async () => {
  const { app } = service;
  app.post('/json', async (request) => {
    handled.push(request.body);
    return { timers: vi.getTimerCount() };
  });
  app.post<{ Body: Readable }>('/lines', { config: { body: 'ndjson stream' } }, async (request) => {
    begun = true;
    handled.push((await request.body.toArray()).join(''));
    return {};
  });
  app.post('/impatient', { config: { body: 'ndjson stream' } }, async () => ({ status: 'OK' }));
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  port = Number(new URL(url).port);
});
beforeEach(() => {
  handled.length = 0;
  begun = false;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => void vi.useRealTimers());

/** Connects a caller that keeps its side of the connection open. */
function call(path: string, headers: Record<string, string>, body = '') {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const heard = { text: '', closed: false };
  socket.setEncoding('utf8');
  socket.on('data', (chunk) => {
    heard.text += chunk;
  });
  const close = () => {
    heard.closed = true;
  };
  socket
    .on('end', close)
    .on('close', close)
    .on('error', () => {});
  const lines = Object.entries({ host: 'x', 'api-key': API_KEY, ...headers }).map((pair) => pair.join(': '));
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  return { socket, heard };
}

const JSON_BODY = { 'content-type': 'application/json', 'content-length': '10' };
const LINES_BODY = { 'content-type': 'application/x-ndjson', 'content-length': '10' };

/** Polls in real time, because expect.poll would advance the clock. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise(setImmediate);
}
const answered = (heard: { text: string }, status: number) =>
  until(() => heard.text.includes(`HTTP/1.1 ${status} `) && heard.text.endsWith('}'));
const waiting = () => until(() => vi.getTimerCount() === 1);
const idle = () => until(() => vi.getTimerCount() === 0);
const closed = (heard: { closed: boolean }) => until(() => heard.closed);
it.each(['/json', '/hello', '/recipe/signin'])(
  'answers 408 and closes the connection if a body for %s does not arrive in time',
  async (path) => {
    const { socket, heard } = call(path, JSON_BODY, '{"a"');
    await waiting();
    vi.advanceTimersByTime(TIMEOUT_MS);
    await closed(heard);
    expect(heard.text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n.*\r\nConnection: close\r\n\r\n/s);
    expect(heard.text.split('\r\n\r\n')[1]).toBe(
      `${LATE}"message":"Request did not arrive in time (request_timeout_ms)"}`,
    );
    await until(async () => (await openConnections(service)) === 0);
    socket.write(':"b"}');
    await until(() => service.log().includes(`"route":"${path}","status":499`));
    expect(service.log()).not.toContain('"level":"error"');
    expect(handled).toEqual([]);
    await idle();
  },
);

it.each([
  ['an unknown path', '/nope', JSON_BODY, 404],
  ['a path that cannot be decoded', '/%', JSON_BODY, 404],
  ['a parameter that is too long', `/json/${'x'.repeat(101)}`, JSON_BODY, 404],
  ['a wrong method', '/users', JSON_BODY, 405],
  ['a wrong key', '/json', { ...JSON_BODY, 'api-key': 'wrong' }, 401],
  ['a wrong key on a route for streams', '/lines', { ...LINES_BODY, 'api-key': 'wrong' }, 401],
  ['a wrong content type on a route for streams', '/lines', JSON_BODY, 415],
  ['an answer before the end of a stream', '/impatient', LINES_BODY, 200],
])(
  'closes the connection after the answer if the body of %s does not end',
  async (_what, path, headers, status) => {
    const { heard } = call(path, headers, '12345');
    await answered(heard, status);
    await waiting();
    vi.advanceTimersByTime(TIMEOUT_MS);
    await closed(heard);
    expect(heard.text.match(/HTTP\/1\.1/g)).toHaveLength(1);
    await until(async () => (await openConnections(service)) === 0);
    await idle();
  },
);

it('waits exactly as long as configured', async () => {
  const { socket, heard } = call('/json', JSON_BODY, '{"a"');
  await waiting();
  vi.advanceTimersByTime(TIMEOUT_MS - 1);
  socket.write(':1234}');
  await answered(heard, 200);
  expect(handled).toEqual([{ a: 1234 }]);
  await idle();
  socket.destroy();
});

it('does not apply to streams', async () => {
  const { socket, heard } = call('/lines', LINES_BODY, '12345');
  await until(() => begun);
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(100 * TIMEOUT_MS);
  socket.write('67890');
  await answered(heard, 200);
  expect(handled).toEqual(['1234567890']);
  await idle();
  socket.destroy();
});

it('starts again for each request of a kept connection', async () => {
  const { socket, heard } = call('/json', JSON_BODY, '{"a":123');
  await waiting();
  socket.write('4}');
  await answered(heard, 200);
  await idle();
  vi.advanceTimersByTime(TIMEOUT_MS);
  heard.text = '';
  socket.write(
    `POST /json HTTP/1.1\r\nhost: x\r\napi-key: ${API_KEY}\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{`,
  );
  await waiting();
  vi.advanceTimersByTime(TIMEOUT_MS - 1);
  socket.write('}');
  await answered(heard, 200);
  socket.destroy();
});

it('uses no timer for a body that arrives with its head', async () => {
  const { socket, heard } = call('/json', JSON_BODY, '{"a":1234}');
  await answered(heard, 200);
  expect(heard.text).toContain('{"timers":0}');
  socket.destroy();
});

it('keeps no timer for a caller that has left', async () => {
  const { socket } = call('/json', JSON_BODY, '{');
  await waiting();
  socket.destroy();
  await idle();
  expect(handled).toEqual([]);
});

it('does not wait for the body of a request with an unsupported Expect header', async () => {
  const { heard } = call('/json', { ...JSON_BODY, expect: 'a miracle' });
  await closed(heard);
  expect(heard.text).toMatch(/^HTTP\/1\.1 417 /);
});

it('answers 408 if the head does not arrive in time', async () => {
  vi.useRealTimers();
  const quick = await createTestApp({
    config: { request_timeout_ms: 100 },
    database: service.database,
  });
  const { port: quickPort } = new URL(await quick.app.listen({ port: 0, host: '127.0.0.1' }));
  const socket = connect(Number(quickPort), '127.0.0.1');
  socket.write('POST /json HTTP/1.1\r\nhost: x\r\n');
  let text = '';
  for await (const chunk of socket) text += chunk;
  expect(text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  expect(text).toContain(LATE);
  await quick.app.close();
});

it('accepts the longest time that can be configured', async () => {
  const patient = await createTestApp({
    config: { request_timeout_ms: 600_000 },
    database: service.database,
  });
  const { headersTimeout, requestTimeout } = patient.app.server;
  expect([headersTimeout, requestTimeout]).toEqual([600_000, 0]);
  await patient.app.close();
});
