import { expect, it } from 'vitest';
import { updateUser } from '../../src/users/change-user.ts';
import { importUser } from '../../src/users/import-user.ts';
import { signIn } from '../../src/users/sign-in.ts';
import { BCRYPT_4, PASSWORD, useDomain } from './domain.ts';

async function importedUser() {
  const deps = await useDomain();
  const { user } = await importUser(deps, { email: 'a@b.c', passwordHash: BCRYPT_4 });
  deps.calls.length = 0;
  const outcome = async (email: string, password: string) =>
    (await signIn(deps, { email, password })).outcome;
  return { deps, recipeUserId: user.id, outcome };
}

it.each([
  ['UPDATE_EMPTY', {}],
  ['FIELD_INVALID', { email: 'nobody', password: 'x' }],
  ['PASSWORD_EMPTY', { email: 'new@b.c', password: '' }],
])('answers %s and changes nothing', async (code, change) => {
  const { deps, recipeUserId } = await importedUser();
  await expect(updateUser(deps, { recipeUserId, ...change })).rejects.toMatchObject({ code });
  expect(deps.calls).toEqual([]);
});

it('reports an unknown user and a taken e-mail, and then does not change even the password', async () => {
  const { deps, recipeUserId, outcome } = await importedUser();
  await importUser(deps, { email: 'taken@b.c', passwordHash: BCRYPT_4 });
  expect(await updateUser(deps, { recipeUserId: 'nobody', password: 'new' })).toBe('unknown-user');
  expect(await updateUser(deps, { recipeUserId, email: 'Taken@b.c', password: 'new' })).toBe('email-taken');
  expect(await outcome('a@b.c', PASSWORD)).toBe('signed-in');
  expect(await outcome('a@b.c', 'new')).toBe('wrong-credentials');
});

it('changes only the e-mail', async () => {
  const { deps, recipeUserId, outcome } = await importedUser();
  expect(await updateUser(deps, { recipeUserId, email: ' New@B.C ' })).toBe('updated');
  expect(await outcome('new@b.c', PASSWORD)).toBe('signed-in');
  expect(await outcome('a@b.c', PASSWORD)).toBe('wrong-credentials');
});

it('changes only the password', async () => {
  const { deps, recipeUserId, outcome } = await importedUser();
  expect(await updateUser(deps, { recipeUserId, password: 'new' })).toBe('updated');
  expect(await outcome('a@b.c', 'new')).toBe('signed-in');
  expect(await outcome('a@b.c', PASSWORD)).toBe('wrong-credentials');
});
