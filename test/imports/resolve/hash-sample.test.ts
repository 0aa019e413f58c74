import { expect, it } from 'vitest';
import type { StoredHash } from '../../../src/hashing/verifier.ts';
import { HashSample } from '../../../src/imports/resolve/imported-hashes.ts';

const login = (encoded: string) => ({ hash: { algorithm: 'bcrypt', encoded: encoded as StoredHash } });

it('counts every hash once, in any order', () => {
  for (const sizes of [[1], [5, 11], [16, 1], [3, 40, 7], []]) {
    const sample = new HashSample();
    for (const size of sizes) sample.add(Array.from({ length: size }, () => login('x')));
    const total = sizes.reduce((a, b) => a + b, 0);
    expect(sample.drawn.reduce((sum, { count }) => sum + count, 0)).toBe(total);
    expect(sample.drawn).toHaveLength(Math.ceil(total / 16));
  }
});

it('draws each hash with the same probability, wherever it is', () => {
  const sample = new HashSample();
  sample.add(Array.from({ length: 16_000 }, (_, index) => login(String(index % 16))));
  const drawn = new Map<string, number>();
  for (const { hash } of sample.drawn) drawn.set(hash.encoded, (drawn.get(hash.encoded) ?? 0) + 1);
  // A thousand draws of sixteen give 62 each, ± 8. The probability that one exceeds twice that is below
  // 10^-12.
  expect(drawn.size).toBe(16);
  expect(Math.max(...drawn.values())).toBeLessThan(130);
});
