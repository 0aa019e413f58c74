import { expect, it } from 'vitest';
import { signInUpThirdParty } from '../../src/users/sign-up.ts';
import { useDomain } from './domain.ts';

const IDENTITY = { id: 'google', userId: '1' };

it('refuses an invalid address, and stores nothing', async () => {
  const { store, calls } = await useDomain();
  const refused = signInUpThirdParty(store, { identity: IDENTITY, email: 'nobody', verified: true });
  await expect(refused).rejects.toMatchObject({ code: 'FIELD_INVALID' });
  expect(calls).toEqual([]);
});

it('normalises the e-mail, so that a verified one is found again in other letter case', async () => {
  const { store } = await useDomain();
  const first = await signInUpThirdParty(store, { identity: IDENTITY, email: ' A@B.C', verified: true });
  const second = await signInUpThirdParty(store, { identity: IDENTITY, email: 'a@b.c ', verified: false });
  if (first === 'disabled' || second === 'disabled') throw new Error('nobody is disabled');
  expect(first.created).toBe(true);
  expect(second).toEqual({ ...first, created: false });
  expect(second.user.loginMethods).toMatchObject([{ email: 'a@b.c', verified: true, thirdParty: IDENTITY }]);
});
