import { expect, it } from 'vitest';
import { emailOrUsername } from '../../../src/sources/fields/login-address.ts';

it.each([
  ['a@b.c', 'x@y.z', { usernameIsEmail: 'yes' }, { email: 'a@b.c' }],
  ['', 'x@y.z', { usernameIsEmail: 'yes' }, { email: 'x@y.z', emailFromName: 'x@y.z' }],
  [null, 'ada', { usernameIsEmail: 'yes' }, {}],
  [undefined, undefined, { usernameIsEmail: 'yes' }, {}],
  ['', 'x@y.z', { usernameIsEmail: 'no' }, {}],
  ['', 'x@y.z', {}, {}],
])('%j, %j, %j', (email, username, settings: Record<string, string>, expected) => {
  expect(emailOrUsername(email, username, settings)).toEqual(expected);
});
