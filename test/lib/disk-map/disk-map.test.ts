import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { DiskMap } from '../../../src/lib/disk-map/disk-map.ts';

const directory = mkdtempSync(join(tmpdir(), 'disk-map-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** Capacity that is small enough for runs to be written and merged. */
const small = () => new DiskMap({ directory, capacity: 4 });

it('behaves as a map of lists, in any order of additions and look-ups', () => {
  const key = fc.oneof(
    fc.constantFrom('a', 'b', '', '\0', 'ä', '😀'),
    fc.string({ unit: 'binary', maxLength: 12 }),
  );
  const value = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constant('x'.repeat(300_000)));
  const step = fc.record({ key, value, ask: key });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const map = small();
      const model = new Map<string, string[]>();
      try {
        for (const { key, value, ask } of steps) {
          map.add(key, value);
          model.set(key, [...(model.get(key) ?? []), value]);
          expect(map.find(ask)).toEqual(model.get(ask) ?? []);
        }
        for (const [key, values] of model) expect(map.find(key)).toEqual(values);
      } finally {
        map.close();
      }
    }),
    { numRuns: 30 },
  );
});

it('finds exactly the 20,000 entries that were added, in runs of many sizes', () => {
  const map = new DiskMap({ directory, capacity: 64 });
  for (let index = 0; index < 20_000; index += 1) map.add(`key ${index}`, `value ${index}`);
  for (let index = 0; index < 20_000; index += 1)
    expect(map.find(`key ${index}`)).toEqual([`value ${index}`]);
  for (let index = 0; index < 20_000; index += 1) expect(map.find(`no key ${index}`)).toEqual([]);
  map.close();
});

it('returns a bounded number of values for one key', () => {
  const map = new DiskMap({ directory, capacity: 8, maxValues: 3 });
  for (let index = 0; index < 100; index += 1) map.add('one', `${index}`);
  expect(map.find('one')).toEqual(['0', '1', '2']);
  map.close();
});

it('finds a key as fast after it was added many times', () => {
  const map = new DiskMap({ directory, maxValues: 1 });
  for (let index = 0; index < 100_000; index += 1) map.add('one', '');
  // If all values were kept, these look-ups would take ten billion steps.
  for (let index = 0; index < 100_000; index += 1) map.find('one');
  map.close();
});

it('leaves no file in its directory, not even while it is open', () => {
  const map = small();
  for (let index = 0; index < 100; index += 1) map.add(`key ${index}`, 'x'.repeat(10_000));
  expect(readdirSync(directory)).toEqual([]);
  map.close();
});
