import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Fingerprints, randomSeed } from '../../../src/imports/stream/repeated-ids.ts';

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
      const fingerprints = fingerprintsOf(some);
      const known = setOf(some);
      expect(fingerprints.hasRepeats).toBe(known.size < some.length);
      const isShared = [...setOf(others)].some((key) => known.has(key));
      expect(fingerprints.overlaps(fingerprintsOf(others))).toBe(isShared);
      for (const [kind, text] of others) {
        const key = JSON.stringify([kind, text]);
        expect(fingerprints.add(kind, text)).toBe(!known.has(key));
        known.add(key);
      }
    }),
    { numRuns: 400 },
  );
});

it('distinguishes hundreds of thousands of similar texts', () => {
  const many = fingerprintsOf(
    Array.from({ length: 200_000 }, (_, index) => [0, `user-${index}@example.com`]),
  );
  expect(many.hasRepeats).toBe(false);
  expect(many.add(0, 'user-0@example.com')).toBe(false);
  expect(many.hasRepeats).toBe(true);
});
