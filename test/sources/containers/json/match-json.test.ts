import { expect, it } from 'vitest';
import { looksLikeJson } from '../../../../src/sources/containers/json/read-json.ts';

it.each(['{"a":1}', ' \r\n[\n {', '{', '[', '{}', '[]', '[[1]]', '["a"]', '{\n  "realm" : "x"', '[-1]'])(
  'accepts %s',
  (text) => {
    expect(looksLikeJson(text)).toBe(true);
  },
);

it.each([
  '',
  '   ',
  'id,email',
  '[dbo].[Users]',
  '[mysqld]',
  'hash_config {',
  '{SSHA}abc',
  '"a","b"',
  'dn: cn=a',
  '-- dump',
  ' '.repeat(5000),
])('rejects %s', (text) => {
  expect(looksLikeJson(text)).toBe(false);
});
