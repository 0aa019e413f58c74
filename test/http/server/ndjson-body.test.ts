import { once } from 'node:events';
import { request } from 'node:http';
import type { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, it } from 'vitest';
import { API_KEY, useTestApp } from '../../support/app.ts';
import { failure } from '../../support/service-calls.ts';

const BODY_LIMIT = 1024;
const NDJSON = 'application/x-ndjson';
const REFUSED = failure(
  415,
  'CONTENT_TYPE_UNSUPPORTED',
  `Unsupported content type: send lines of JSON, in UTF-8, with Content-Type: ${NDJSON}`,
);

/** A service with a route that echoes its body in hexadecimal, and reports each piece when it arrives. */
let url: string;
const pieces: string[] = [];
let handled = 0;
const service = await useTestApp({ config: { body_limit_bytes: BODY_LIMIT } });
beforeAll(async () => {
  service.app.post<{ Body: Readable }>('/lines', { config: { body: 'ndjson stream' } }, async (request) => {
    handled += 1;
    const chunks: Buffer[] = [];
    for await (const chunk of request.body) {
      chunks.push(chunk);
      pieces.push(chunk.toString());
    }
    return { hex: Buffer.concat(chunks).toString('hex') };
  });
  url = await service.app.listen({ port: 0, host: '127.0.0.1' });
});

const send = (body: unknown, headers?: Record<string, string | undefined>) =>
  service.send('POST', '/lines', body, { 'content-type': NDJSON, ...headers });
const hex = (body: string | Buffer) => Buffer.from(body).toString('hex');

it.each([
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  'application/ndjson',
  'application/x-ndjsonx',
  'application/x-ndjson; charset=latin1',
  'nonsense',
  '',
  undefined,
])('a streaming route refuses the content type %s, and reads nothing', async (type) => {
  const before = handled;
  for (const body of ['{}\n', 'x'.repeat(2 * BODY_LIMIT)]) {
    expect(await send(body, { 'content-type': type })).toMatchObject(REFUSED);
  }
  expect(handled).toBe(before);
});

it('a streaming route requires a body', async () => {
  expect(await send(undefined, { 'content-type': undefined })).toMatchObject(REFUSED);
});

it('checks the key first', async () => {
  const before = handled;
  for (const type of [NDJSON, 'application/json']) {
    expect(await send('{}\n', { 'content-type': type, 'api-key': undefined })).toMatchObject(
      failure(401, 'API_KEY_INVALID', 'Invalid API key'),
    );
  }
  expect(handled).toBe(before);
});

it.each([
  NDJSON,
  'Application/X-NDJSON',
  'application/x-ndjson; charset=utf-8',
  'application/x-ndjson;charset="UTF-8"',
])('passes on a body of type %s', async (type) => {
  const answer = await send('{"a":1}\nnot JSON\n', { 'content-type': type });
  expect([answer.status, answer.body]).toEqual([200, { hex: hex('{"a":1}\nnot JSON\n') }]);
});

it('passes on an empty body', async () => {
  expect((await send('')).body).toEqual({ hex: '' });
});

it('passes on a compressed body unchanged', async () => {
  const body = gzipSync('{"a":1}\n');
  expect((await send(body, { 'content-encoding': 'gzip' })).body).toEqual({ hex: hex(body) });
});

it('passes on more than any other body may have, with or without a length', async () => {
  const body = 'x'.repeat(100 * BODY_LIMIT);
  const upload = (headers: Record<string, string | number>) =>
    request(`${url}/lines`, {
      method: 'POST',
      headers: { 'api-key': API_KEY, 'content-type': NDJSON, ...headers },
    });
  for (const headers of [{ 'content-length': body.length }, { 'transfer-encoding': 'chunked' }]) {
    const [answer] = await once(upload(headers).end(body), 'response');
    const text = (await answer.toArray()).join('');
    expect([answer.statusCode, JSON.parse(text)]).toEqual([200, { hex: hex(body) }]);
  }
});

it('passes on each piece when it arrives', async () => {
  pieces.length = 0;
  const upload = request(`${url}/lines`, {
    method: 'POST',
    headers: { 'api-key': API_KEY, 'content-type': NDJSON },
  });
  upload.write('first\n');
  await expect.poll(() => pieces).toEqual(['first\n']);
  upload.write('second\n');
  await expect.poll(() => pieces).toEqual(['first\n', 'second\n']);
  const [answer] = await once(upload.end(), 'response');
  expect((await answer.toArray()).join('')).toBe(JSON.stringify({ hex: hex('first\nsecond\n') }));
});

it('logs no error of its own if a caller breaks off a stream', async () => {
  pieces.length = 0;
  const upload = request(`${url}/lines`, {
    method: 'POST',
    headers: { 'api-key': API_KEY, 'content-type': NDJSON },
  });
  upload.on('error', () => {});
  upload.write('first\n');
  await expect.poll(() => pieces).toEqual(['first\n']);
  upload.destroy();
  await expect.poll(() => service.log()).toContain('"status":499');
  expect(service.log()).not.toContain('"level":"error"');
});

it('accepts any body for greetings', async () => {
  expect((await service.send('POST', '/hello', '{}\n', { 'content-type': NDJSON })).text).toBe('Hello');
});
