import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { DiskMap } from '../../../src/lib/disk-map/disk-map.ts';

const directory = mkdtempSync(join(tmpdir(), 'disk-map-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** So small that runs are written and merged. */
const small = () => new DiskMap({ directory, capacity: 4 });

it('is a map of lists, whatever is added and asked in whatever order', () => {
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

it('finds every one of 20,000 entries, in runs of many sizes, and no others', () => {
  const map = new DiskMap({ directory, capacity: 64 });
  for (let index = 0; index < 20_000; index += 1) map.add(`key ${index}`, `value ${index}`);
  for (let index = 0; index < 20_000; index += 1)
    expect(map.find(`key ${index}`)).toEqual([`value ${index}`]);
  for (let index = 0; index < 20_000; index += 1) expect(map.find(`no key ${index}`)).toEqual([]);
  map.close();
});

it('finds a bounded number of values under one key', () => {
  const map = new DiskMap({ directory, capacity: 8, maxValues: 3 });
  for (let index = 0; index < 100; index += 1) map.add('one', `${index}`);
  expect(map.find('one')).toEqual(['0', '1', '2']);
  map.close();
});

it('takes no longer for a key that was added again and again', () => {
  const map = new DiskMap({ directory, maxValues: 1 });
  for (let index = 0; index < 100_000; index += 1) map.add('one', '');
  // With all of them kept, these are ten billion steps.
  for (let index = 0; index < 100_000; index += 1) map.find('one');
  map.close();
});

it('leaves nothing in its directory, not even while it is open', () => {
  const map = small();
  for (let index = 0; index < 100; index += 1) map.add(`key ${index}`, 'x'.repeat(10_000));
  expect(readdirSync(directory)).toEqual([]);
  map.close();
});
