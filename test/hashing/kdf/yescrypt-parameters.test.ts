import { expect, it } from 'vitest';
import { yescryptParameters } from '../../../src/hashing/kdf/yescrypt-parameters.ts';
import { verifierOf, WIDEST_LIMITS } from '../../support/vectors.ts';

/** Written by yescrypt_encode_params of libxcrypt, and accepted by its crypt(3). */
it.each([
  ['j9T', { flavor: 'rw', log2N: 12, r: 32, p: 1, t: 0 }],
  ['j9T000', { flavor: 'rw', log2N: 12, r: 32, p: 4, t: 3 }],
  ['j9T/s4r', { flavor: 'rw', log2N: 12, r: 32, p: 1, t: 1000 }],
  ['j9T/wAwz', { flavor: 'rw', log2N: 12, r: 32, p: 1, t: 70_000 }],
  ['jFsrD', { flavor: 'rw', log2N: 18, r: 4096, p: 1, t: 0 }],
  ['j/T', { flavor: 'rw', log2N: 2, r: 32, p: 1, t: 0 }],
  ['.B5.0', { flavor: 'scrypt', log2N: 14, r: 8, p: 4, t: 0 }],
  ['/B5/.', { flavor: 'worm', log2N: 14, r: 8, p: 1, t: 1 }],
])('reads %s', (text, parameters) => {
  expect(yescryptParameters(text)).toEqual(parameters);
});

/** libxcrypt answers *0 to each of these. */
it.each([
  ['', 'cut off'],
  ['j', 'cut off'],
  ['j9', 'cut off'],
  ['j9s', 'cut off'],
  ['j9é', 'cut off'],
  ['i9T', 'flavor'],
  ['09T', 'flavor'],
  ['k.9T', 'flavor'],
  ['j.T', '2^2'],
  ['jTT', '2^31'],
  ['j/T..', '4 × p'],
  ['.B5/.', 'scrypt does not support'],
  ['j9T1.', 'a ROM'],
  ['j9T/.T', 'extra characters'],
  ['j9zzzzzz', 'r × p'],
  ['j9yzzzz.yzzzz', 'r × p'],
])('refuses %j', (text, why) => {
  expect(() => yescryptParameters(text)).toThrow(why);
});

it.each([
  ['j9T', 16, 23.6],
  ['jDT', 256, 375.9],
  ['j9T/2', 16, 88.3],
  ['.B5', 16, 35.4],
  ['.B5.0', 16, 141.1],
])('computes the cost of $%s$', (parameters, mib, ms) => {
  const { cost } = verifierOf('yescrypt', WIDEST_LIMITS).parse(`$y$${parameters}$$${'.'.repeat(43)}`);
  expect(Math.floor(cost.memoryBytes / 2 ** 20)).toBe(mib);
  expect(cost.ms).toBeCloseTo(ms, 0);
});
