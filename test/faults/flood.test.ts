import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { Client, importOf, type Reply } from '../support/client.ts';
import { useServices } from '../support/compiled-service.ts';
import { IMPORT } from '../support/service-calls.ts';

const REQUESTS = 2100;
const SOCKETS = 200;
const GARBAGE_CONNECTIONS = 200;

/** Each kind sends request number `index` and has its expected answer. */
const REQUEST_KINDS: { send(client: Client, index: number): Promise<Reply>; expected: unknown[] }[] = [
  {
    send: (client, index) => client.send('POST', IMPORT, importOf(index)),
    expected: [200, 'OK'],
  },
  {
    send: (client, index) =>
      client.send('POST', '/recipe/signin', { email: `nobody-${index}@b.c`, password: 'x' }),
    expected: [200, 'WRONG_CREDENTIALS_ERROR'],
  },
  {
    send: (client) => client.send('POST', '/recipe/signin', '{"email":'),
    expected: [400, 'BODY_INVALID_JSON'],
  },
  {
    send: (client) =>
      client.send('GET', '/users/count', undefined, { 'api-key': 'no-key-of-this-service-0' }),
    expected: [401, 'API_KEY_INVALID'],
  },
  {
    send: (client) => client.send('GET', '/users?limit=%00&email=%F0%9F', undefined),
    expected: [400, 'QUERY_INVALID'],
  },
  {
    send: (client) => client.send('POST', `/${'x'.repeat(4000)}`, { nested: [[[[]]]] }),
    expected: [404, 'NOT_FOUND'],
  },
  {
    send: (client) =>
      client.send('POST', IMPORT, {
        email: 'a@b.c',
        passwordHash: `$argon2id$v=19$m=4194304,t=99,p=1$${'A'.repeat(60_000)}`,
      }),
    expected: [400, 'PASSWORD_HASH_INVALID'],
  },
];

const GARBAGE = [
  '\0\0\0\0\0\0\0\0',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'GET / HTTP/9.9\r\n\r\n',
  'POST /recipe/signin HTTP/1.1\r\nhost: a\r\ncontent-length: 1000000\r\n\r\n{"email":"',
  'POST /recipe/signin HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
  `GET / HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`,
];

/** Sends garbage and hangs up, whatever the service does. */
function sendGarbage(url: string, garbage: string): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.once('close', () => resolve());
    socket.write(garbage, 'latin1', () => setImmediate(() => socket.destroy()));
  });
}

async function peakMemoryMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

const services = useServices();

it('answers each of 2,100 simultaneous requests correctly, with garbage in between', async () => {
  const { service, url } = await services.begin({
    PASSWORD_HASHING_ALG: 'BCRYPT',
    BCRYPT_LOG_ROUNDS: '4',
    HASHING_QUEUE_LIMIT: '100000',
  });
  const client = new Client(url, SOCKETS);
  const replies = Array.from({ length: REQUESTS }, async (_, index) => {
    const kind = REQUEST_KINDS[index % REQUEST_KINDS.length];
    const reply = await kind?.send(client, index);
    return { expected: kind?.expected, got: [reply?.status, reply?.body.code ?? reply?.body.status] };
  });
  const garbage = Array.from({ length: GARBAGE_CONNECTIONS }, (_, index) =>
    sendGarbage(url, GARBAGE[index % GARBAGE.length] ?? ''),
  );
  await Promise.all(garbage);
  const wrong = (await Promise.all(replies)).filter(({ expected, got }) => `${got}` !== `${expected}`);
  expect(wrong).toEqual([]);

  expect(service.child.exitCode).toBe(null);
  expect(service.logged('ready')).toHaveLength(1);
  expect(await client.send('GET', '/health/ready')).toMatchObject({ status: 200, body: { status: 'ok' } });
  expect(await client.send('GET', '/users/count')).toMatchObject({
    body: { count: Math.ceil(REQUESTS / REQUEST_KINDS.length) },
  });
  if (process.platform === 'linux') expect(await peakMemoryMib(service.pid)).toBeLessThan(500);
  client.close();
});

it('answers 503 beyond the capacity of its queue, and works afterwards', async () => {
  const { client } = await services.begin({ HASHING_QUEUE_LIMIT: '4' }, 64);
  const replies = await Promise.all(
    Array.from({ length: 64 }, (_, index) =>
      client.send('POST', '/recipe/signin', { email: `nobody-${index}@b.c`, password: 'x' }),
    ),
  );
  const refused = replies.filter(({ status }) => status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(64);
  for (const { status, body, headers } of refused) {
    expect([status, body.code, headers['retry-after']]).toEqual([503, 'OVERLOADED', '1']);
  }
  expect(await client.send('POST', '/recipe/signin', { email: 'a@b.c', password: 'x' })).toMatchObject({
    status: 200,
    body: { status: 'WRONG_CREDENTIALS_ERROR' },
  });
});
