import { expect, it } from 'vitest';
import { MarkSeal } from '../../../src/imports/stream/line-marks.ts';

const CHUNK = { importId: 'it', firstLine: 1 };
const MARKS = Buffer.from('marks of some lines');
const [OLD, NEW, OTHER] = [
  'old-key-0123456789-abc',
  'new-key-0123456789-abc',
  'other-key-0123456789',
] as const;

it.each([
  ['the key they were sealed with', [OLD], true],
  ['that key beside a newer one', [NEW, OLD], true],
  ['other keys only', [NEW, OTHER], false],
])('opens marks with %s', (_with, keys, isOpened) => {
  const sealed = new MarkSeal([OLD, OTHER]).seal(CHUNK, MARKS);
  expect(new MarkSeal(keys).open(CHUNK, sealed)).toEqual(isOpened ? MARKS : undefined);
});

it('opens nothing that was sealed for another chunk, changed or truncated', () => {
  const seal = new MarkSeal([OLD]);
  const sealed = seal.seal(CHUNK, MARKS);
  expect(seal.open({ ...CHUNK, importId: 'other' }, sealed)).toBeUndefined();
  expect(seal.open({ ...CHUNK, firstLine: 2 }, sealed)).toBeUndefined();
  for (const index of sealed.keys()) {
    const changed = Buffer.from(sealed);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(seal.open(CHUNK, changed)).toBeUndefined();
    expect(seal.open(CHUNK, sealed.subarray(0, index))).toBeUndefined();
  }
});

it('produces different bytes each time, so that equal lines do not show', () => {
  const seal = new MarkSeal([OLD]);
  expect(seal.seal(CHUNK, MARKS)).not.toEqual(seal.seal(CHUNK, MARKS));
});

it('requires a key', () => {
  expect(() => new MarkSeal([]).seal(CHUNK, MARKS)).toThrow('key');
});
