import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { Addresses, assertOneService } from '../../../src/cli/service-client/addresses.ts';

/** Starts a service that knows these imports, with one list for each request. */
async function serviceWith(...lists: string[][]) {
  let asked = 0;
  return serviceThat((_request, response) => {
    const list = lists[Math.min(asked, lists.length - 1)] ?? [];
    asked += 1;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ status: 'OK', imports: list.map((importId) => ({ importId })) }));
  });
}

async function serviceThat(answers: RequestListener) {
  const server = createServer((request, response) => {
    if (request.url === '/hello') response.end('Hello');
    else answers(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return addressOf((server.address() as AddressInfo).port);
}

const addressOf = (port: number) => ({
  url: `http://127.0.0.1:${port}`,
  apiKey: 'a-key-of-the-tests-123456',
  isUnprotected: false,
});

it('accepts instances that know the same imports, also if one is begun in between', async () => {
  await assertOneService(new Addresses([await serviceWith(['a']), await serviceWith(['a'])]));
  await assertOneService(
    new Addresses([await serviceWith(['b', 'a']), await serviceWith(['a'], ['b', 'a'])]),
  );
});

it('stops if they know different imports', async () => {
  const addresses = new Addresses([
    await serviceWith(['a']),
    await serviceWith(['a']),
    await serviceWith([]),
  ]);
  await expect(assertOneService(addresses)).rejects.toThrow('not instances of one service');
});

it('continues without instances that do not answer, and begins the import at the others', async () => {
  const [refuses, hangs] = [addressOf(1), await serviceThat(() => {})];
  const [one, other] = [await serviceWith(['a']), await serviceWith(['a'])];
  const addresses = new Addresses([refuses, one, hangs, other]);
  expect([0, 1].map((turn) => addresses.of(turn))).toEqual([refuses, one]);
  await assertOneService(addresses);
  expect([0, 1, 2].map((turn) => addresses.of(turn))).toEqual([one, other, one]);
});

it('compares all other addresses, also while the first ones are avoided', async () => {
  const addresses = new Addresses([
    addressOf(1),
    addressOf(1),
    await serviceWith(['a']),
    await serviceWith(['b']),
  ]);
  await expect(assertOneService(addresses)).rejects.toThrow('not instances of one service');
});

it('keeps the order of addresses if none or all of them answer', async () => {
  for (const all of [
    [addressOf(1), addressOf(2)],
    [await serviceWith([]), await serviceWith([])],
  ] as const) {
    const addresses = new Addresses(all);
    await assertOneService(addresses);
    expect([0, 1].map((turn) => addresses.of(turn))).toEqual(all);
  }
});

it('sends no request if there is only one address', async () => {
  await assertOneService(new Addresses([addressOf(1)]));
});
