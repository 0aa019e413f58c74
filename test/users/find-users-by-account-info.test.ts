import { expect, it } from 'vitest';
import { findUsersByAccountInfo } from '../../src/users/find-users.ts';
import { importUser } from '../../src/users/import-user.ts';
import { BCRYPT_4, useDomain } from './domain.ts';

const IDENTITY = { id: 'google', userId: '1' };
const UNSTORABLE = { id: 'google', userId: 'a\0b' };

it('finds the users that match, and nobody for conditions that no user can match', async () => {
  const deps = await useDomain();
  const { user: ada } = await importUser(deps, { email: 'ada@b.c', passwordHash: BCRYPT_4 });
  const { user: bob } = await deps.store.signInUpThirdParty({
    identity: IDENTITY,
    email: 'bob@b.c',
    verified: false,
  });
  const find = async (...rest: [Parameters<typeof findUsersByAccountInfo>[1], 'all' | 'any', object?]) =>
    (await findUsersByAccountInfo(deps.store, ...rest)).users.map(({ id }) => id);

  expect(await find({}, 'any')).toEqual([]);
  expect(await find({}, 'all')).toEqual([]);
  expect(await find({ email: ' ADA@B.C ' }, 'all')).toEqual([ada.id]);
  expect((await find({ email: 'ada@b.c', thirdParty: IDENTITY }, 'any')).toSorted()).toEqual(
    [ada.id, bob.id].toSorted(),
  );
  expect(await find({ email: 'ada@b.c', thirdParty: IDENTITY }, 'all')).toEqual([]);

  for (const email of ['', 'nobody', '\ud800@b.c']) {
    expect(await find({ email }, 'any')).toEqual([]);
    expect(await find({ email, thirdParty: IDENTITY }, 'any')).toEqual([bob.id]);
    expect(await find({ email, thirdParty: IDENTITY }, 'all')).toEqual([]);
  }
  expect(await find({ email: 'ada@b.c', thirdParty: UNSTORABLE }, 'any')).toEqual([ada.id]);
  expect(await find({ email: 'ada@b.c', thirdParty: UNSTORABLE }, 'all')).toEqual([]);
  expect(await find({ email: 'ada@b.c' }, 'any', { unknowable: true })).toEqual([ada.id]);
  expect(await find({ email: 'ada@b.c' }, 'all', { unknowable: true })).toEqual([]);
});
