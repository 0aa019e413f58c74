import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hexBytes } from '../../../src/sources/fields/hex-bytes.ts';

it.each(['', 'f', 'fff', 'fg', ' ff', 'ff ', 'ff\n', '0xff', '\u{130}\u{130}', 'ff\0'])(
  '%j are no digits of bytes',
  (text) => {
    expect(hexBytes(text)).toBeUndefined();
  },
);

it('reads what is written by others, in any case', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), (array) => {
      const bytes = Buffer.from(array);
      expect(hexBytes(bytes.toString('hex'))).toEqual(bytes);
      expect(hexBytes(bytes.toString('hex').toUpperCase())).toEqual(bytes);
    }),
  );
});

it('reads nothing else', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(hexBytes(text) !== undefined).toBe(/^(?:[0-9a-f]{2})+$/i.test(text));
    }),
  );
});
