import { expect, it } from 'vitest';
import { emailOrUsername } from '../../../src/sources/fields/username-as-email.ts';

it.each([
  ['a@b.c', 'x@y.z', { usernameIsEmail: 'yes' }, 'a@b.c'],
  ['', 'x@y.z', { usernameIsEmail: 'yes' }, 'x@y.z'],
  [null, 'ada', { usernameIsEmail: 'yes' }, undefined],
  [undefined, undefined, { usernameIsEmail: 'yes' }, undefined],
  ['', 'x@y.z', { usernameIsEmail: 'no' }, undefined],
  ['', 'x@y.z', {}, undefined],
])('%j, %j, %j', (email, username, settings: Record<string, string>, expected) => {
  expect(emailOrUsername(email, username, settings)).toBe(expected);
});
