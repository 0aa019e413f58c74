import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { Addresses } from '../../../src/cli/service/addresses.ts';
import { assertOneService } from '../../../src/cli/service/assert-one-service.ts';

/** The address of a service that knows these imports, one list after the other. */
async function serviceWith(...lists: string[][]) {
  let asked = 0;
  const server = createServer((_request, response) => {
    const list = lists[Math.min(asked, lists.length - 1)] ?? [];
    asked += 1;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ status: 'OK', imports: list.map((importId) => ({ importId })) }));
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

it('lets instances be that know the same imports, also where one is begun meanwhile', async () => {
  await assertOneService(new Addresses([await serviceWith(['a']), await serviceWith(['a'])]));
  await assertOneService(
    new Addresses([await serviceWith(['b', 'a']), await serviceWith(['a'], ['b', 'a'])]),
  );
});

it('stops where they know others', async () => {
  const addresses = new Addresses([
    await serviceWith(['a']),
    await serviceWith(['a']),
    await serviceWith([]),
  ]);
  await expect(assertOneService(addresses)).rejects.toThrow('not instances of one service');
});

it('goes on without one that does not answer', async () => {
  await assertOneService(new Addresses([await serviceWith(['a']), addressOf(1)]));
});

it('does not ask where there is one address', async () => {
  await assertOneService(new Addresses([addressOf(1)]));
});
