import { expect, it } from 'vitest';
import { passwordVariants } from '../../src/passwords/password-variants.ts';

const NFC = 'pässword'.normalize('NFC');
const NFD = NFC.normalize('NFD');
const BREAK = ['PASSWORD_WHITESPACE', '0a'];

/** Returns mistakes and bytes in hexadecimal, without variants that add a line break. */
const variantsOf = (password: string) =>
  passwordVariants(password).map(({ mistake, password: bytes }) => [mistake, bytes.toString('hex')]);
const hex = (text: string) => Buffer.from(text, 'utf8').toString('hex');

it('a password has no variant of plain ASCII except a line break at the end', () => {
  expect(variantsOf('')).toEqual([BREAK]);
  expect(variantsOf('secret')).toEqual([['PASSWORD_WHITESPACE', hex('secret\n')]]);
});

it('a password has Latin-1 and windows-1252 variants in composed form, if they have all characters', () => {
  const latin1 = ['PASSWORD_IN_LATIN1', '70e47373776f7264'];
  expect(variantsOf(NFC)).toContainEqual(latin1);
  expect(variantsOf(NFD)).toContainEqual(latin1);
  expect(variantsOf('5 €…ž\u0081ÿ')).toContainEqual(['PASSWORD_IN_LATIN1', '3520' + '80859e81ff']);
  for (const password of ['пароль', '密码', '🔑', 'ä密']) {
    expect(variantsOf(password).map(([mistake]) => mistake)).not.toContain('PASSWORD_IN_LATIN1');
  }
});

it('a password has the other normal form, or both for a mixture', () => {
  const normalized = (password: string) =>
    variantsOf(password).filter(([mistake]) => mistake === 'PASSWORD_NORMALIZED');
  expect(normalized(NFC)).toEqual([['PASSWORD_NORMALIZED', hex(NFD)]]);
  expect(normalized(NFD)).toEqual([['PASSWORD_NORMALIZED', hex(NFC)]]);
  expect(normalized(NFC + NFD)).toHaveLength(2);
});

it('a password has variants without white space at either end', () => {
  expect(variantsOf('\tse cret \r\n')).toContainEqual(['PASSWORD_WHITESPACE', hex('se cret')]);
});
