import fc from 'fast-check';
import { expect, it } from 'vitest';
import { metadataProblem } from '../../../src/imports/input/field-reader.ts';
import { ExactNumber } from '../../../src/lib/json/exact-json.ts';
import {
  flagOf,
  isSet,
  jsonOrText,
  listOf,
  metadataOf,
  objectOf,
  objectsOf,
  severalOf,
  textOf,
} from '../../../src/sources/fields/values.ts';

it.each([
  ['', undefined],
  [null, undefined],
  [true, undefined],
  [{}, undefined],
  [['a'], undefined],
  ['a', 'a'],
  [' ', ' '],
  [12, '12'],
  [new ExactNumber('12345678901234567890'), '12345678901234567890'],
])('reads as text: %j', (value, expected) => {
  expect(textOf(value)).toBe(expected);
});

it.each([
  [[true, 'true', 'TRUE', 't', '1', 1, 'yes', 'y', '\u{1}'], true],
  [[false, 'false', 'False', 'f', '0', 0, 'no', 'N', '', '\u{0}'], false],
  [[undefined, null, 'NULL', 'maybe', 2, {}, []], undefined],
])('reads as flags: %j', (values, expected) => {
  expect(values.map(flagOf)).toEqual(values.map(() => expected));
});

it.each([
  [['x', '1', 'false', 1, true, {}, [], { $x: 1 }, new ExactNumber('1.0')], true],
  [[undefined, null, '', '0', 0, false, 'NULL', '0000-00-00 00:00:00'], false],
])('tells values from cells without one: %j', (values, expected) => {
  expect(values.map(isSet)).toEqual(values.map(() => expected));
});

it('accepts objects and lists directly or as JSON, and nothing else', () => {
  expect(objectOf('{"a":1}')).toEqual({ a: 1 });
  expect(objectOf({ a: 1 })).toEqual({ a: 1 });
  for (const none of ['', '{', '[]', 'null', '1', null, undefined, 7, ['a']])
    expect(objectOf(none)).toBeUndefined();
  expect(listOf('["a"]')).toEqual(['a']);
  expect(listOf(['a'])).toEqual(['a']);
  for (const none of ['', '[', '{}', null, undefined, 7, {}]) expect(listOf(none)).toEqual([]);
  expect(objectsOf([{ a: 1 }, null, 'b', ['c'], { d: 2 }])).toEqual([{ a: 1 }, { d: 2 }]);
  expect(jsonOrText('{"a":1}')).toEqual({ a: 1 });
  expect(jsonOrText('not {json')).toBe('not {json');
  expect(jsonOrText({ a: 1 })).toEqual({ a: 1 });
});

it('preserves the spelling of numbers in JSON texts', () => {
  const big = new ExactNumber('12345678901234567890');
  const object = objectOf('{"a":[12345678901234567890],"b":1.0,"c":7}');
  expect(object).toEqual({ a: [big], b: new ExactNumber('1.0'), c: 7 });
  expect(listOf('[12345678901234567890]')).toEqual([big]);
  expect(jsonOrText('12345678901234567890')).toEqual(big);
});

it('reads JSON that is nested too deeply for recursion', () => {
  const levels = 100_000;
  const nested = `${'['.repeat(levels)}1.0${']'.repeat(levels)}`;
  const object = objectOf(`{"a":${nested},"b":2}`);
  expect(object?.b).toBe(2);
  expect(metadataProblem(object)).toContain('too deep');
  expect(JSON.stringify(listOf(nested))).toBe(`${'['.repeat(512)}null${']'.repeat(512)}`);
});

it('leaves empty values out of metadata', () => {
  expect(metadataOf({ a: undefined, b: null, c: '', d: {} })).toBeUndefined();
  const exact = new ExactNumber('1e400');
  const kept = { a: 0, b: false, c: [], d: { e: null }, f: exact };
  expect(metadataOf({ ...kept, g: '' })).toEqual(kept);
});

it('keeps a metadata member called __proto__ as an ordinary one', () => {
  const metadata = metadataOf(JSON.parse('{"__proto__":{"isAdmin":true}}'));
  expect(Object.keys(metadata ?? {})).toEqual(['__proto__']);
  expect((metadata as { isAdmin?: boolean }).isAdmin).toBeUndefined();
});

it('keeps a list of several addresses, each once', () => {
  expect(severalOf([])).toBeUndefined();
  expect(severalOf(['a'])).toBeUndefined();
  expect(severalOf(['a', 'a'])).toBeUndefined();
  expect(severalOf(['Ada@X.org', ' ada@x.org'])).toBeUndefined();
  expect(severalOf(['a', 'b', 'a'])).toEqual(['a', 'b']);
});

it('accepts any value', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      for (const read of [textOf, flagOf, objectOf, listOf, objectsOf, jsonOrText]) read(value);
      metadataOf({ value });
    }),
  );
});
