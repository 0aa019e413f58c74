import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type BytesEncoding, bytesOf } from '../../../src/sources/fields/values.ts';

it.each<[unknown, BytesEncoding, string | undefined]>([
  ['+/8=', 'base64', 'fbff'],
  ['-_8', 'base64', 'fbff'],
  ['+/8', 'base64', 'fbff'],
  ['+_8', 'base64', undefined],
  ['+/9', 'base64', undefined],
  ['a', 'base64', undefined],
  ['a b=', 'base64', undefined],
  ['*not base64*', 'base64', undefined],
  ['00fF', 'hex', '00ff'],
  ['0', 'hex', undefined],
  ['0g', 'hex', undefined],
  ['é', 'utf8', 'c3a9'],
  ['00ff', 'utf8', '30306666'],
  [12, 'hex', '12'],
  ['', 'utf8', undefined],
  [null, 'base64', undefined],
  [{}, 'hex', undefined],
])('%j in %s', (value, encoding, hex) => {
  expect(bytesOf(value, encoding)?.toString('hex')).toBe(hex);
});

it('reads nothing else as digits of bytes', () => {
  for (const text of ['', 'f', 'fff', 'fg', ' ff', 'ff ', 'ff\n', '0xff', '\u{130}\u{130}', 'ff\0'])
    expect([text, bytesOf(text, 'hex')]).toEqual([text, undefined]);
});

it('reads hexadecimal digits in any case', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), (array) => {
      const bytes = Buffer.from(array);
      expect(bytesOf(bytes.toString('hex'), 'hex')).toEqual(bytes);
      expect(bytesOf(bytes.toString('hex').toUpperCase(), 'hex')).toEqual(bytes);
    }),
  );
});
