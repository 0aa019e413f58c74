import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { useTestApp } from '../../support/app.ts';
import { failure } from '../../support/service-calls.ts';

let port: number;
const service = await useTestApp();
beforeAll(async () => {
  port = Number(new URL(await service.app.listen({ port: 0, host: '127.0.0.1' })).port);
});

const open = (path: string) => service.send('GET', path, undefined, { 'api-key': undefined });

function connectRaw(): Socket {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Sends a path unchanged. HTTP clients would normalise it. */
async function sendRaw(path: string): Promise<{ status: number; body: unknown }> {
  const socket = connectRaw();
  socket.end(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  const [head = '', body = ''] = (await textOf(socket)).split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), body: JSON.parse(body) };
}

/** URLs of other hosts: what follows `//`, except the names of XML vocabularies. */
const OTHER_HOST = /(?:https?:|["'(])\/\/(?!www\.w3\.org\/)[\w.-]+/g;

/** Returns the paths of the files that a page refers to. */
const assetsOf = (html: string, address: string) =>
  [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(
    ([, reference = '']) => new URL(reference, `http://x${address}`).pathname,
  );

describe.each(['/docs', '/docs/', '/docs?q', '/docs/?q=/'])('the page at %s', (address) => {
  it('refers only to files that are served, and to no other host', async () => {
    const page = await open(address);
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toContain('<title>user-import-core</title>');
    expect(page.text.match(OTHER_HOST)).toBeNull();

    const assets = assetsOf(page.text, address);
    expect(assets).toContain('/docs/static/swagger-initializer.js');
    for (const asset of assets) expect([asset, (await open(asset)).status]).toEqual([asset, 200]);
  });
});

it('loads scripts and styles only from its own files', async () => {
  const { text, headers } = await open('/docs');
  expect(headers['content-security-policy']).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self';/,
  );
  expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:|\w\.\w|upgrade-insecure-requests/);
  expect(text).not.toMatch(/<script>|<style|\sstyle=|\son\w+=/);
});

it('uses no external validator', async () => {
  const { text, headers } = await open('/docs/static/swagger-initializer.js');
  expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
  expect(text).toContain('validatorUrl: null');
  expect(text.match(OTHER_HOST)).toBeNull();
});

it('shows the description at /openapi.json, at any path of the page', async () => {
  const { text } = await open('/docs/static/swagger-initializer.js');
  const [, reference = ''] = /new URL\('([^']+)', document\.currentScript\.src\)/.exec(text) ?? [];
  const below = (path: string) => new URL(reference, `http://x${path}/docs/static/swagger-initializer.js`);
  expect([below('').pathname, below('/proxied').pathname]).toEqual([
    '/openapi.json',
    '/proxied/openapi.json',
  ]);
});

it('serves the same bytes of the description every time', async () => {
  const [first, second] = [await open('/openapi.json'), await open('/openapi.json/')];
  expect([first.status, first.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  expect(Number(first.headers['content-length'])).toBe(Buffer.byteLength(first.text));
  expect(second.text).toBe(first.text);
});

it('answers HEAD without a body', async () => {
  const { statusCode, body, headers } = await service.app.inject({
    method: 'HEAD',
    url: '/docs/static/swagger-ui-bundle.js',
  });
  expect([statusCode, body]).toEqual([200, '']);
  expect(Number(headers['content-length'])).toBeGreaterThan(1_000_000);
});

it.each([
  '/docs/static/../x',
  '/docs/static/%00',
  '/docs/static//',
  '/docs/static/',
  '/docs/static',
  '/docs/static/nope.js',
  '/docs/static/%2e%2e/swagger-initializer.js',
  '/docs/static/swagger-ui-bundle.js/x',
  '/docs//',
  '/docs/json',
  '/docs/%',
])('answers %s like an unknown path', async (path) => {
  expect(await sendRaw(path)).toMatchObject(failure(404, 'NOT_FOUND', 'Not found'));
  expect(service.log()).not.toContain('"level":"error"');
});

it.runIf(process.platform === 'linux')('opens no file while it serves a request', async () => {
  const openFiles = () => readdirSync('/proc/self/fd').length;
  await open('/docs/static/swagger-ui-bundle.js');
  const before = openFiles();
  const socket = connectRaw();
  socket.write('GET /docs/static/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(60));
  await once(socket, 'data');
  socket.destroy();
  await expect.poll(openFiles).toBeLessThanOrEqual(before);
});
