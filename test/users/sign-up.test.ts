import { expect, it } from 'vitest';
import { importUser } from '../../src/users/import-user.ts';
import { signIn } from '../../src/users/sign-in.ts';
import { signUp } from '../../src/users/sign-up.ts';
import { BCRYPT_4, OWN_WORK, PASSWORD, useDomain } from './domain.ts';

it.each([
  ['FIELD_INVALID', { email: 'nobody', password: PASSWORD }],
  ['PASSWORD_EMPTY', { email: 'a@b.c', password: '' }],
])('answers %s and stores nothing', async (code, credentials) => {
  const deps = await useDomain();
  await expect(signUp(deps, credentials)).rejects.toMatchObject({ code });
  expect(deps.calls).toEqual([]);
});

it('does not take over an imported user, and hashes nothing for it', async () => {
  const deps = await useDomain();
  await importUser(deps, { email: 'a@b.c', passwordHash: BCRYPT_4 });
  deps.calls.length = 0;
  expect(await signUp(deps, { email: 'A@b.c', password: 'another' })).toBe('email-taken');
  expect(deps.calls).toEqual(['findPasswordLogin']);
  expect(await signIn(deps, { email: 'a@b.c', password: PASSWORD })).toMatchObject({ outcome: 'signed-in' });
});

it('gives an e-mail to one of several simultaneous calls', async () => {
  const deps = await useDomain();
  const passwords = ['one', 'two', 'three'];
  const outcomes = await Promise.all(passwords.map((password) => signUp(deps, { email: 'a@b.c', password })));
  expect(outcomes.filter((outcome) => outcome === 'email-taken')).toHaveLength(2);
  const winner = passwords[outcomes.findIndex((outcome) => outcome !== 'email-taken')] ?? '';
  for (const password of passwords) {
    expect(await signIn(deps, { email: 'a@b.c', password })).toMatchObject({
      outcome: password === winner ? 'signed-in' : 'wrong-credentials',
    });
  }
});

it('creates a user whose password is used exactly as it is', async () => {
  const deps = await useDomain();
  const password = ` ${PASSWORD}\n`;
  expect(await signUp(deps, { email: ' A@B.C', password })).toMatchObject({
    algorithm: 'argon2',
    user: { loginMethods: [{ recipeId: 'emailpassword', email: 'a@b.c', verified: false }] },
  });
  expect(await signIn(deps, { email: 'a@b.c', password })).toMatchObject({ outcome: 'signed-in' });
  expect(await signIn(deps, { email: 'a@b.c', password: PASSWORD })).toMatchObject({
    outcome: 'wrong-credentials',
  });
  expect(deps.work).toEqual([OWN_WORK, OWN_WORK]);
});
