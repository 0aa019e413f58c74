import fc from 'fast-check';
import leven from 'leven';
import { expect, it } from 'vitest';
import { nearestNames } from '../../../src/lib/text/nearest-names.ts';

const NAMES = ['bcrypt', 'bcrypt-sha256', 'sha256-crypt', 'sha512-crypt', 'md5', 'argon2'];

it.each([
  ['bcrpyt', ['bcrypt']],
  ['sha256crypt', ['sha256-crypt', 'sha512-crypt']],
  ['argon2id', ['argon2']],
  ['sha2', ['sha256-crypt', 'bcrypt-sha256']],
  ['hunter2', []],
  ['', []],
])('suggests for %s: %j', (mistyped, names) => {
  expect(nearestNames(NAMES, 0.4)(mistyped)).toEqual(names);
});

it('lists all names, the nearest first, if the number of edits is unlimited', () => {
  expect(nearestNames(NAMES)('sha-512')).toHaveLength(NAMES.length);
  expect(nearestNames(NAMES)('md4')[0]).toBe('md5');
});

it('prefers the name in which two letters are swapped', () => {
  expect(nearestNames(['format', 'from'], 0.5)('form')).toEqual(['from', 'format']);
});

it('omits no name that is near enough', () => {
  const name = fc.string({ unit: fc.constantFrom(...'abcdef1-'), maxLength: 8 });
  fc.assert(
    fc.property(name, fc.array(name, { maxLength: 5 }), (mistyped, names) => {
      const near = names.filter(
        (one) => leven(mistyped, one) <= Math.floor(0.4 * Math.max(mistyped.length, one.length, 1)),
      );
      // If no name is near enough, a part of a name stands for that name.
      const expected =
        near.length === 0 && mistyped.length >= 3 ? names.filter((one) => one.includes(mistyped)) : near;
      expect(nearestNames(names, 0.4)(mistyped).sort()).toEqual(expected.sort());
    }),
  );
});
