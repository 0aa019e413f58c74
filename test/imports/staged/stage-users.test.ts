import { expect, it } from 'vitest';
import { stageUsers } from '../../../src/imports/staged/stage-users.ts';
import { createStagedStore } from '../../../src/postgres/staged/create-staged-store.ts';
import { useTestDatabase } from '../../support/database.ts';
import { testVault } from '../../support/factors.ts';
import { spiedPasswords } from '../../support/spied-passwords.ts';
import { PLAIN } from '../../support/user-forms.ts';

it('stores nothing for a caller that leaves before all passwords are hashed', async () => {
  const { db } = await useTestDatabase();
  const staged = createStagedStore(db, db);
  const { passwords, occupy } = spiedPasswords();
  const letGo = occupy();
  const leaving = new AbortController();
  const deps = { staged, passwords, vault: testVault(), now: Date.now, maxUserBytes: 1000 };
  const users = ['1@b.c', '2@b.c', '3@b.c'].map((email) => ({ loginMethods: [{ ...PLAIN, email }] }));
  const staging = stageUsers(deps, users, leaving.signal);
  leaving.abort(new Error('gone'));
  await expect(staging).rejects.toThrow('gone');
  letGo();
  expect(await staged.count()).toBe(0);
  expect(await stageUsers(deps, users)).toMatchObject({ ids: [{}, {}, {}] });
  expect(await staged.count()).toBe(3);
});
