import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { useTestApp } from '../../support/app.ts';
import { failure } from '../../support/service-calls.ts';

const service = await useTestApp();
const { port } = new URL(await service.app.listen({ port: 0, host: '127.0.0.1' }));

it('gives all errors the same form', async () => {
  const answer = await service.send('GET', '/users?limit=x');
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.body).toEqual({
    statusCode: 400,
    code: 'QUERY_INVALID',
    error: 'Bad Request',
    message: "Field name 'limit' must be an int in the GET request",
  });
});

it('names the status of each error in words', async () => {
  const words = async (...request: Parameters<typeof service.send>) => {
    const { body } = await service.send(...request);
    return [body.statusCode, Reflect.get(body, 'error')];
  };
  expect(await words('GET', '/users', undefined, { 'api-key': '' })).toEqual([401, 'Unauthorized']);
  expect(await words('GET', '/other/apiversion')).toEqual([403, 'Forbidden']);
  expect(await words('GET', '/nope')).toEqual([404, 'Not Found']);
  expect(await words('DELETE', '/users')).toEqual([405, 'Method Not Allowed']);
  expect(await words('POST', '/recipe/signin', 'x'.repeat(2 ** 21))).toEqual([413, 'Payload Too Large']);
  expect(await words('POST', '/recipe/signin', 'x', { 'content-type': 'text/plain' })).toEqual([
    415,
    'Unsupported Media Type',
  ]);
});

it('an unexpected error is a 500 with the request id, which is also in the log, and reveals nothing else', async () => {
  const broken = await useTestApp();
  await broken.database.db.query('alter table users rename to gone');
  const { text, ...answer } = await broken.send('GET', '/users');
  expect(answer).toMatchObject(failure(500, 'INTERNAL', 'Internal error: see the log for request '));
  expect(text).not.toMatch(/select|relation|users|42P01|\.ts|node_modules/i);
  expect(answer.headers['retry-after']).toBeUndefined();
  const requestId = answer.body.message.split(' ').at(-1);
  const lines = broken.log().trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'error', requestId, err: { code: '42P01' } },
    { level: 'info', requestId, msg: 'request', status: 500 },
  ]);
});

describe('bytes that are not an HTTP request', () => {
  /** Sends bytes. Returns everything the service answers until the connection is closed. */
  async function exchange(bytes: string): Promise<string> {
    const socket = connect(Number(port), '127.0.0.1');
    socket.end(bytes);
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    return answer;
  }

  it.each([
    ['garbage', 'nonsense\r\n\r\n'],
    ['a header with a NUL', 'GET /users HTTP/1.1\r\nhost: a\r\napi-key: \0\r\n\r\n'],
    [
      'two lengths',
      'POST /recipe/signin HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
    ],
  ])('are answered with REQUEST_MALFORMED: %s', async (_what, bytes) => {
    const [head = '', body = ''] = (await exchange(bytes)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(head).toContain('Content-Type: application/json; charset=utf-8');
    expect(JSON.parse(body)).toEqual({
      statusCode: 400,
      code: 'REQUEST_MALFORMED',
      error: 'Bad Request',
      message: 'Request is malformed or incomplete',
    });
  });
});
