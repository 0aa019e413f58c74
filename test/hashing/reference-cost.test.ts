import { describe, expect, it } from 'vitest';
import { OWN_FAMILIES } from '../../src/hashing/families.ts';
import { DEFAULT_SETTINGS, secretOf, vector, verifierOf, WIDEST_LIMITS } from '../support/vectors.ts';

const SCRYPT = vector('external_scrypt', 'own-reference');
const SALT_AND_DIGEST = `${'A'.repeat(22)}$${'A'.repeat(43)}`;

const msOf = (algorithm: string, encoded: string) =>
  verifierOf(algorithm, WIDEST_LIMITS, secretOf(SCRYPT)).parse(encoded).cost.ms;

it.each([
  [10, 50],
  [13, 400],
  [15, 1600],
  [16, 3200],
])('bcrypt of cost %d takes %d ms', (cost, ms) => {
  expect(msOf('bcrypt', `$2b$${cost}$${'x'.repeat(53)}`)).toBe(ms);
});

it.each([
  ['64 MiB, 3 passes', 'm=65536,t=3,p=1', 173],
  ['as much on 4 lanes', 'm=65536,t=3,p=4', 174],
  ['1 GiB, twice', 'm=1048576,t=2,p=1', 1843],
  ['the most of each bound', 'm=1048576,t=32,p=16', 29_532],
  ['hardly any memory, many threads', 'm=2040,t=100,p=255', 2219],
])('argon2 of %s takes the product of its parameters in ms', (_name, costs, ms) => {
  expect(Math.round(msOf('argon2', `$argon2id$v=19$${costs}$${SALT_AND_DIGEST}`))).toBe(ms);
});

it.each([
  [14, 8, 39],
  [17, 16, 629],
  [24, 64, 322_123],
])('scrypt of m=%d and r=%d takes %d ms', (m, r, ms) => {
  const hash = SCRYPT.hash.replace('m=14', `m=${m}`).replace('r=8', `r=${r}`);
  expect(Math.round(msOf('external_scrypt', hash))).toBe(ms);
});

const zeros = (bytes: number) => Buffer.alloc(bytes).toString('base64');

/** For the longest password that the family hashes. */
it.each([
  ['phpass', `$P$B${'.'.repeat(30)}`, 61],
  ['phpass', `$P$G${'.'.repeat(30)}`, 1937],
  ['drupal7', `$S$D${'.'.repeat(51)}`, 75],
  ['shiro1', `$shiro1$SHA-256$500000$${zeros(16)}$${zeros(32)}`, 358],
  ['symfony-sha512', `$symfony-sha512$i=5000$${zeros(32)}$${zeros(64)}`, 59],
  ['jasypt', 'A'.repeat(64), 72],
  ['devise-sha512', `$devise-sha512$i=100000$${zeros(20)}$${zeros(64)}`, 1266],
])('%s takes time by its rounds and their input: %s', (algorithm, hash, ms) => {
  expect(Math.round(msOf(algorithm, hash))).toBe(ms);
});

describe.each(OWN_FAMILIES)('$name', ({ own, name }) => {
  it('costs new hashes as much as verified ones', () => {
    const { example } = own?.maker(DEFAULT_SETTINGS) ?? { example: '' };
    expect(own?.cost(DEFAULT_SETTINGS)).toEqual(verifierOf(name).parse(example).cost);
  });
});
