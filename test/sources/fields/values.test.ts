import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ExactNumber } from '../../../src/imports/input/exact-json.ts';
import { metadataProblem } from '../../../src/imports/input/metadata-problem.ts';
import {
  flagOf,
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
])('text: %j', (value, expected) => {
  expect(textOf(value)).toBe(expected);
});

it.each([
  [[true, 'true', 'TRUE', 't', '1', 1, 'yes', 'y', '\u{1}'], true],
  [[false, 'false', 'False', 'f', '0', 0, 'no', 'N', '', '\u{0}'], false],
  [[undefined, null, 'NULL', 'maybe', 2, {}, []], undefined],
])('flags: %j', (values, expected) => {
  expect(values.map(flagOf)).toEqual(values.map(() => expected));
});

it('takes objects and lists as such or as JSON, and nothing for anything else', () => {
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

it('keeps numbers of JSON in a text as they were written', () => {
  const big = new ExactNumber('12345678901234567890');
  expect(objectOf('{"a":[12345678901234567890],"b":1.0,"c":7}')).toEqual({
    a: [big],
    b: new ExactNumber('1.0'),
    c: 7,
  });
  expect(listOf('[12345678901234567890]')).toEqual([big]);
  expect(jsonOrText('12345678901234567890')).toEqual(big);
});

it('reads JSON in a text that is nested deeper than anything can walk through', () => {
  const levels = 100_000;
  const nested = `${'['.repeat(levels)}1.0${']'.repeat(levels)}`;
  const object = objectOf(`{"a":${nested},"b":2}`);
  expect(object?.b).toBe(2);
  expect(metadataProblem(object)).toContain('too deep');
  expect(JSON.stringify(listOf(nested))).toBe(`${'['.repeat(512)}null${']'.repeat(512)}`);
});

it('leaves out of metadata what says nothing', () => {
  expect(metadataOf({ a: undefined, b: null, c: '', d: {} })).toBeUndefined();
  const exact = new ExactNumber('1e400');
  expect(metadataOf({ a: 0, b: false, c: [], d: { e: null }, f: exact, g: '' })).toEqual({
    a: 0,
    b: false,
    c: [],
    d: { e: null },
    f: exact,
  });
});

it('keeps a member of metadata that is called __proto__ as one', () => {
  const metadata = metadataOf(JSON.parse('{"__proto__":{"isAdmin":true}}'));
  expect(Object.keys(metadata ?? {})).toEqual(['__proto__']);
  expect((metadata as { isAdmin?: boolean }).isAdmin).toBeUndefined();
});

it('keeps a list of several, each once', () => {
  expect(severalOf([])).toBeUndefined();
  expect(severalOf(['a'])).toBeUndefined();
  expect(severalOf(['a', 'a'])).toBeUndefined();
  expect(severalOf(['a', 'b', 'a'])).toEqual(['a', 'b']);
});

it('takes anything', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      for (const read of [textOf, flagOf, objectOf, listOf, objectsOf, jsonOrText]) read(value);
      metadataOf({ value });
    }),
  );
});
