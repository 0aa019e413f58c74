import { expect, it } from 'vitest';
import { phpTrim, saslprep } from '../../../src/hashing/kdf/password-reading.ts';

const prepared = (text: string) => saslprep(Buffer.from(text)).toString();

it.each([
  ['the examples of RFC 4013', 'I\u00adX', 'IX'],
  ['case is kept', 'USER', 'USER'],
  ['a feminine ordinal', '\u00aa', 'a'],
  ['a Roman numeral', '\u2168', 'IX'],
  ['spaces of other scripts', 'a\u00a0b\u3000c', 'a b c'],
  ['a byte order mark', '\ufeffa', 'a'],
  ['a variation selector', '\u2764\ufe0f', '\u2764'],
  ['an emoji', '😀', '😀'],
  ['a control character: left as it is', '\u0007\u2168', '\u0007\u2168'],
  ['a private character: left as it is', '\ue000\u2168', '\ue000\u2168'],
  ['nothing is left: left as it is', '\u00ad', '\u00ad'],
  ['nothing', '', ''],
])('applies SASLprep: %s', (_name, text, expected) => {
  expect(prepared(text)).toBe(expected);
});

it('does not change bytes that are not UTF-8', () => {
  expect(saslprep(Buffer.of(0xe4, 0xff))).toEqual(Buffer.of(0xe4, 0xff));
});

it.each([
  ['\0\t\n\v\r a b \r\v\n\t\0', 'a b'],
  ['\u00a0a\f', '\u00a0a\f'],
  [' \n', ''],
  ['', ''],
])('trims as PHP does: %j', (text, expected) => {
  expect(phpTrim(Buffer.from(text)).toString()).toBe(expected);
});
