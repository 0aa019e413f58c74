import { expect, it } from 'vitest';
import { importUser } from '../../src/users/import-user.ts';
import { signIn } from '../../src/users/sign-in.ts';
import { BCRYPT_4, BCRYPT_5, bcryptWork, PASSWORD, useDomain } from './domain.ts';

it.each([
  ['FIELD_INVALID', { email: 'nobody', passwordHash: BCRYPT_4 }],
  ['PASSWORD_HASH_INVALID', { email: 'a@b.c', passwordHash: 'plain' }],
  ['HASHING_ALGORITHM_UNSUPPORTED', { email: 'a@b.c', passwordHash: BCRYPT_4, hashingAlgorithm: 'md5' }],
])('answers %s and stores nothing', async (code, request) => {
  const deps = await useDomain();
  await expect(importUser(deps, request)).rejects.toMatchObject({ code });
  expect(deps.calls).toEqual([]);
});

it('creates a user who signs in with the old password, without running a key derivation', async () => {
  const deps = await useDomain();
  const imported = await importUser(deps, { email: ' Ada@B.C', passwordHash: ` ${BCRYPT_4}\n` });
  expect(imported).toMatchObject({ existed: false, algorithm: 'bcrypt' });
  expect(imported.user.loginMethods).toMatchObject([{ email: 'ada@b.c', verified: false }]);
  expect(deps.work).toEqual([]);
  expect(await signIn(deps, { email: 'ada@b.c', password: PASSWORD })).toMatchObject({
    outcome: 'signed-in',
  });
});

it('replaces the hash of an existing user', async () => {
  const deps = await useDomain();
  const first = await importUser(deps, { email: 'a@b.c', passwordHash: BCRYPT_4 });
  const second = await importUser(deps, { email: 'A@B.C', passwordHash: BCRYPT_5 });
  expect(second).toEqual({ ...first, existed: true });
  await signIn(deps, { email: 'a@b.c', password: PASSWORD });
  expect(deps.work).toEqual([bcryptWork(5)]);
});

it('parses the hash once, and so does the sign-in', async () => {
  const deps = await useDomain();
  const timesParsed = () => deps.parsed.filter((encoded) => encoded === BCRYPT_4).length;
  await importUser(deps, { email: 'a@b.c', passwordHash: BCRYPT_4 });
  expect(timesParsed()).toBe(1);
  deps.parsed.length = 0;
  await signIn(deps, { email: 'a@b.c', password: PASSWORD });
  expect(deps.parsed).toEqual([BCRYPT_4]);
});
