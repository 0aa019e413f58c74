import { describe, expect, it } from 'vitest';
import { CircuitBreaker, keyOf, signedHeaders } from '../../src/legacy-sign-in/legacy-client.ts';
import { isPermitted, kindOf, permittedLookup, urlProblem } from '../../src/lib/permitted-addresses.ts';

it('signs as the reference implementations of Standard Webhooks do', () => {
  // https://github.com/standard-webhooks/standard-webhooks/blob/main/libraries/javascript/src/index.test.ts
  const headers = signedHeaders(keyOf('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'), {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    nowMs: 1_614_265_330_999,
    body: '{"test": 2432232314}',
  });
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

describe('addresses that may be called', () => {
  it.each([
    ['8.8.8.8', 'public'],
    ['2606:4700::1', 'public'],
    ['127.8.8.8', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['10.1.2.3', 'private'],
    ['172.31.0.1', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['169.254.169.254', 'private'],
    ['::ffff:169.254.169.254', 'private'],
    ['::ffff:a9fe:a9fe', 'private'],
    ['0.0.0.0', 'private'],
    ['::', 'private'],
    ['fd00::1', 'private'],
    ['fe80::1', 'private'],
    ['64:ff9b::a9fe:a9fe', 'private'],
    ['2002:7f00:1::', 'private'],
    ['2001:0:a9fe:a9fe::', 'private'],
    ['255.255.255.255', 'private'],
  ] as const)('%s is %s', (address, kind) => {
    expect(kindOf(address)).toBe(kind);
  });

  it.each([
    ['https://old.example/x', true],
    ['http://localhost/x', true],
    ['http://127.0.0.1/x', true],
    ['http://[::1]/x', true],
    ['http://old.example/x', false],
    ['http://10.0.0.1/x', false],
    ['https://10.0.0.1/x', false],
    ['https://169.254.169.254/latest', false],
    ['https://0x7f.1/', true],
    ['ftp://old.example/', false],
  ])('%s', (url, isFine) => {
    expect(urlProblem(new URL(url), { allowsPrivate: false }) === undefined).toBe(isFine);
  });

  it('are checked when a name is resolved, so that a name cannot lead inside', async () => {
    const resolved = (url: string, addresses: string[], allowsPrivate = false) =>
      new Promise((resolve) => {
        const resolve4 = ((_name: string, _options: object, done: (e: null, a: object[]) => void) =>
          done(
            null,
            addresses.map((address) => ({ address, family: 4 })),
          )) as never;
        permittedLookup(new URL(url), { allowsPrivate }, resolve4)('name', {}, (error, address) =>
          resolve(error?.message ?? address),
        );
      });
    const refused = 'the name resolves to no permitted address';
    expect(await resolved('https://old.example', ['10.0.0.1', '8.8.8.8'])).toBe('8.8.8.8');
    expect(await resolved('https://old.example', ['127.0.0.1'])).toBe(refused);
    expect(await resolved('https://old.example', ['10.0.0.1'])).toBe(refused);
    expect(await resolved('https://old.example', ['10.0.0.1'], true)).toBe('10.0.0.1');
    expect(await resolved('http://old.internal', ['8.8.8.8'], true)).toBe(refused);
    expect(await resolved('http://localhost', ['8.8.8.8'])).toBe(refused);
    expect(isPermitted(new URL('http://localhost'), '127.0.0.1', { allowsPrivate: false })).toBe(true);
  });
});

it('opens once, lets one call try after a while, and closes with the first success', () => {
  let nowMs = 0;
  const said: string[] = [];
  const breaker = new CircuitBreaker({
    now: () => nowMs,
    onOpen: (reason) => said.push(reason),
    onClose: () => said.push('closed'),
  });
  for (let call = 0; call < 40; call += 1)
    if (call % 20 === 0) breaker.failed('one of twenty');
    else breaker.succeeded();
  expect(breaker.permits()).toBe(true);
  for (let call = 0; call < 12; call += 1) breaker.failed('down');
  expect([breaker.permits(), said]).toEqual([false, ['down']]);
  nowMs = 10_000;
  expect([breaker.permits(), breaker.permits()]).toEqual([true, false]);
  breaker.failed('down');
  nowMs = 19_999;
  expect(breaker.permits()).toBe(false);
  nowMs = 20_000;
  expect(breaker.permits()).toBe(true);
  breaker.succeeded();
  expect([breaker.isOpen, breaker.permits(), said]).toEqual([false, true, ['down', 'closed']]);
});
