import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Fingerprints, randomSeed } from '../../../src/imports/resolve/fingerprints.ts';

const SEED = randomSeed();

type Key = [kind: number, text: string];

function fingerprintsOf(keys: readonly Key[]): Fingerprints {
  const fingerprints = new Fingerprints(SEED);
  for (const [kind, text] of keys) fingerprints.add(kind, text);
  return fingerprints;
}

const setOf = (keys: readonly Key[]) => new Set(keys.map((key) => JSON.stringify(key)));

// Few kinds, and short texts of few letters, so that they often coincide.
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', '\0', 'ä', '😀'), maxLength: 4 }),
  fc.string(),
);
const keys = fc.array(fc.tuple(fc.nat(2), text), { maxLength: 8 });

it('behaves as a set', () => {
  fc.assert(
    fc.property(keys, keys, (some, others) => {
      const [a, b] = [fingerprintsOf(some), fingerprintsOf(others)];
      expect(a.hasRepeats).toBe(setOf(some).size < some.length);
      const overlap = [...setOf(some)].some((key) => setOf(others).has(key));
      expect([a.overlaps(b), b.overlaps(a)]).toEqual([overlap, overlap]);
    }),
    { numRuns: 5000 },
  );
});

it('distinguishes hundreds of thousands of similar texts', () => {
  const numbered = (first: number, count: number) =>
    fingerprintsOf(Array.from({ length: count }, (_, index) => [0, `user-${first + index}@example.com`]));
  const many = numbered(0, 300_000);
  expect(many.hasRepeats).toBe(false);
  expect(many.overlaps(numbered(300_000, 300_000))).toBe(false);
  expect(many.overlaps(numbered(299_999, 1))).toBe(true);
  many.add(0, 'user-0@example.com');
  expect(many.hasRepeats).toBe(true);
});
