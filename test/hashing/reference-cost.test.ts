import { expect, it } from 'vitest';
import { argon2Ms, bcryptMs, scryptMs } from '../../src/hashing/reference-cost.ts';

it.each([
  [10, 50],
  [13, 400],
  [15, 1600],
  [16, 3200],
])('bcrypt of cost %d takes %d ms', (cost, ms) => {
  expect(bcryptMs(cost)).toBe(ms);
});

it.each([
  ['64 MiB, 3 passes', { memoryKb: 65_536, iterations: 3, parallelism: 1 }, 173],
  ['as much on 4 lanes', { memoryKb: 65_536, iterations: 3, parallelism: 4 }, 174],
  ['1 GiB, twice', { memoryKb: 1_048_576, iterations: 2, parallelism: 1 }, 1843],
  ['the most of each bound', { memoryKb: 1_048_576, iterations: 32, parallelism: 16 }, 29_532],
  ['hardly any memory, many threads', { memoryKb: 2040, iterations: 100, parallelism: 255 }, 2219],
])('argon2 of %s takes its product of ms', (_name, hash, ms) => {
  expect(Math.round(argon2Ms(hash))).toBe(ms);
});

it.each([
  [{ N: 2 ** 14, r: 8, p: 1 }, 39],
  [{ N: 2 ** 17, r: 16, p: 1 }, 629],
  [{ N: 2 ** 24, r: 64, p: 2 }, 644_245],
])('scrypt of %j takes %d ms', (cost, ms) => {
  expect(Math.round(scryptMs(cost))).toBe(ms);
});
