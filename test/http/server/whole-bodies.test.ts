/** Memory of bodies that are held at once, over real sockets. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { endpointsOf } from '../../../src/http/routes/define-route.ts';
import { ROUTES } from '../../../src/http/routes/index.ts';
import { createTestApp, type TestApp } from '../../support/app.ts';
import { CoreDouble } from '../../support/core-double.ts';
import { type RawSocket, rawRequest, rawSocket } from '../../support/raw-socket.ts';

const MIB = 1024 * 1024;
/** Wait for a condition, on a busy machine. */
const PATIENT = { timeout: 20_000, interval: 2 };
const JSON_TYPE = { 'content-type': 'application/json' };

let alone: TestApp;
let inFront: TestApp;
let core: CoreDouble;
const urls = new Map<TestApp, string>();
let callers: RawSocket[] = [];

beforeAll(async () => {
  core = await CoreDouble.start();
  alone = await createTestApp();
  inFront = await createTestApp({ config: { upstream_core_uri: core.url }, database: alone.database });
  for (const one of [alone, inFront]) urls.set(one, await one.app.listen({ port: 0, host: '127.0.0.1' }));
});
afterAll(async () => {
  await inFront.app.close();
  await inFront.front?.connection.close();
  await alone.close();
  await core.close();
});
afterEach(async () => {
  for (const { socket } of callers) socket.destroy();
  callers = [];
  for (const one of [alone, inFront]) await expect.poll(() => one.app.bodies.heldBytes, PATIENT).toBe(0);
});

function call(service: TestApp, bytes: string): RawSocket {
  const caller = rawSocket(urls.get(service) ?? '', bytes);
  callers.push(caller);
  return caller;
}

/** Bodies of hooks are too small to count. */
const WHOLE = ROUTES.filter(
  ({ body, bounds }) => /^json|^optional json/.test(body) && bounds?.fixedLimitBytes === undefined,
).flatMap((row) =>
  endpointsOf(row).map(({ method, url }) => ({ method, path: url, inFrontOfCore: row.inFrontOfCore })),
);
const FORWARDED = [
  { method: 'POST', path: '/recipe/signin' },
  { method: 'POST', path: '/recipe/signup' },
  { method: 'PUT', path: '/recipe/user' },
  { method: 'POST', path: '/recipe/session/verify' },
  { method: 'PATCH', path: '/t1/recipe/x' },
  { method: 'DELETE', path: '/recipe/x' },
];
const EVERY = [
  ...WHOLE.map((route) => ({ ...route, where: 'alone' as const })),
  ...WHOLE.filter(({ inFrontOfCore }) => inFrontOfCore !== 'core').map((route) => ({
    ...route,
    where: 'in front of a core' as const,
  })),
  ...FORWARDED.map((route) => ({ ...route, where: 'in front of a core' as const })),
];

it.each(EVERY)('$method $path counts what has arrived, $where', async ({ method, path, where }) => {
  const service = where === 'alone' ? alone : inFront;
  const url = path.replace(/:\w+/, 'x');
  for (const framing of [{ 'content-length': '200000' }, { 'transfer-encoding': 'chunked' }]) {
    const part = `{"a":"${'a'.repeat(100_000)}`;
    const isChunked = 'transfer-encoding' in framing;
    const bytes = isChunked ? `${part.length.toString(16)}\r\n${part}\r\n` : part;
    const { socket } = call(service, rawRequest(method, url, { ...JSON_TYPE, ...framing }, bytes));
    await expect.poll(() => service.app.bodies.heldBytes, PATIENT).toBeGreaterThan(80_000);
    expect(service.app.bodies.heldBytes).toBeLessThan(120_000);
    socket.destroy();
    await expect.poll(() => service.app.bodies.heldBytes, PATIENT).toBe(0);
  }
});

it('a length that is only announced takes nothing', async () => {
  const headers = { ...JSON_TYPE, 'content-length': String(MIB) };
  for (let n = 0; n < 300; n += 1) call(alone, rawRequest('POST', '/recipe/signin', headers));
  const later = call(alone, rawRequest('GET', '/hello'));
  await expect.poll(() => later.text(), PATIENT).toContain('200 OK');
  const large = `{"userId":"x","disabled":true}`.padEnd(MIB);
  expect((await alone.send('PUT', '/recipe/user/disabled', large)).status).toBeLessThan(500);
  expect(alone.app.bodies.heldBytes).toBe(0);
});

it('a body in chunks of one byte counts their memory', async () => {
  const headers = { ...JSON_TYPE, 'transfer-encoding': 'chunked' };
  call(alone, rawRequest('POST', '/recipe/signin', headers, '1\r\na\r\n'.repeat(1000)));
  await expect.poll(() => alone.app.bodies.heldBytes, PATIENT).toBe(1000 * 201 - 16 * 1024);
});

describe.each([
  ['alone', () => alone, ['/recipe/signin']],
  ['in front of a core', () => inFront, ['/recipe/signin', '/recipe/session/verify']],
] as const)('bodies that stall at their last byte, %s,', (_where, serviceOf, paths) => {
  it('take 80 MiB at most, then get 503, and delay no sign-in', { timeout: 60_000 }, async () => {
    const service = serviceOf();
    const head = { ...JSON_TYPE, 'content-length': String(MIB) };
    const body = 'a'.repeat(MIB - 1);
    const slow = Array.from({ length: 120 }, (_, index) =>
      call(service, rawRequest('POST', paths[index % paths.length] ?? '', head, body)),
    );
    const refused = () => slow.filter((one) => one.text().includes('HTTP/1.1 503'));
    await expect
      .poll(() => service.app.bodies.heldBytes > 70 * MIB && refused().length > 20, { timeout: 30_000 })
      .toBe(true);
    expect(service.app.bodies.heldBytes).toBeLessThanOrEqual(80 * MIB);
    expect(refused()[0]?.text()).toMatch(/retry-after: 1\r\n[\s\S]*"code":"OVERLOADED"/);
    const answer = await service.send('POST', '/recipe/signin', { email: 'a@b.c', password: 'x' });
    expect(answer).toMatchObject({ status: 200, body: { status: 'WRONG_CREDENTIALS_ERROR' } });
    const upload = () => service.send('POST', '/bulk-import/users', '{"users":[]}'.padEnd(16 * MIB));
    expect(await upload()).toMatchObject({ status: 503, body: { code: 'OVERLOADED' } });
    for (const { socket } of slow) socket.destroy();
    await expect.poll(() => service.app.bodies.heldBytes, PATIENT).toBe(0);
    expect((await upload()).status).toBe(200);
  });
});

it('holds a body until its answer', async () => {
  let answer = () => {};
  const { app } = await createTestApp({ database: alone.database });
  app.post('/slow', () => new Promise((resolve) => (answer = () => resolve({}))));
  const waiting = app.inject({
    method: 'POST',
    url: '/slow',
    headers: { 'api-key': 'test-key-0123456789-abcdef' },
    payload: { a: 'a'.repeat(100_000) },
  });
  await expect.poll(() => app.bodies.heldBytes, PATIENT).toBeGreaterThan(80_000);
  answer();
  expect((await waiting).statusCode).toBe(200);
  expect(app.bodies.heldBytes).toBe(0);
  await app.close();
});

it('a body without an API key is small', async () => {
  const { app } = await createTestApp({ database: alone.database });
  app.post('/open', { config: { key: 'open', errors: ['BODY_TOO_LARGE'] } }, async () => ({}));
  const send = (bytes: number) =>
    app.inject({ method: 'POST', url: '/open', headers: JSON_TYPE, payload: '{}'.padEnd(bytes) });
  expect((await send(16 * 1024)).statusCode).toBe(200);
  expect((await send(16 * 1024 + 1)).json()).toMatchObject({ code: 'BODY_TOO_LARGE' });
  await app.close();
});
