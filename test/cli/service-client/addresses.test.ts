import { expect, it } from 'vitest';
import { Addresses } from '../../../src/cli/service-client/addresses.ts';
import { ServiceProblem } from '../../../src/cli/service-client/service-problem.ts';

const [a, b, c] = ['a', 'b', 'c'].map((name) => ({
  url: `http://${name}`,
  apiKey: 'key',
  isUnprotected: true,
})) as [Address, Address, Address];
type Address = Addresses['all'][0];

const greet = async () => {};
const names = (addresses: Addresses) => [0, 1, 2, 3].map((turn) => addresses.of(turn).url.at(-1)).join('');
const fails = (retry: ServiceProblem['retry']) => () => Promise.reject(new ServiceProblem('no', { retry }));

it('addresses are used in turn, except those that failed within a minute', async () => {
  let nowMs = 5;
  const addresses = new Addresses([a, b, c], { now: () => nowMs, greet });
  expect([names(addresses), addresses.text]).toEqual(['abca', 'http://a,http://b,http://c']);
  await expect(addresses.ask(1, fails('often'))).rejects.toThrow('no');
  expect(names(addresses)).toBe('acac');
  nowMs += 30_000;
  await expect(addresses.ask(0, fails('seldom'), () => 1)).rejects.toThrow('no');
  expect(names(addresses)).toBe('aaaa');
  nowMs += 30_000;
  expect(names(addresses)).toBe('abab');
  nowMs += 30_000;
  expect(names(addresses)).toBe('abca');
});

it('all addresses are used if all failed, or if the failure was not theirs', async () => {
  const addresses = new Addresses([a, b], { now: () => 0, greet });
  await expect(addresses.ask(0, fails('never'))).rejects.toThrow('no');
  await expect(addresses.ask(0, fails('often'), () => undefined)).rejects.toThrow('no');
  expect(names(addresses)).toBe('abab');
  await expect(addresses.ask(0, fails('often'))).rejects.toThrow('no');
  expect(names(addresses)).toBe('bbbb');
  await expect(addresses.ask(0, fails('often'))).rejects.toThrow('no');
  expect(names(addresses)).toBe('abab');
});
