import { describe, expect, it } from 'vitest';
import { updateUser } from '../../src/users/change-user.ts';
import { importUser } from '../../src/users/import-user.ts';
import { signIn } from '../../src/users/sign-in.ts';
import { findLoginWithHash } from '../support/find-login-with-hash.ts';
import { BCRYPT_4, BCRYPT_5, bcryptWork, OWN_WORK, PASSWORD, useDomain } from './domain.ts';

type Domain = Awaited<ReturnType<typeof useDomain>>;

const DAY_MS = 24 * 60 * 60 * 1000;

it('refuses an invalid address, and runs no hash for it', async () => {
  const deps = await useDomain();
  await expect(signIn(deps, { email: 'nobody', password: PASSWORD })).rejects.toMatchObject({
    code: 'FIELD_INVALID',
  });
  expect([deps.work, deps.calls]).toEqual([[], []]);
});

it('does the same work for an unknown e-mail as for a wrong password', async () => {
  const deps = await useDomain();
  await importUser(deps, { email: 'a@b.c', passwordHash: BCRYPT_4 });
  deps.calls.length = 0;

  expect(await signIn(deps, { email: 'a@b.c', password: 'wrong' })).toEqual({
    outcome: 'wrong-credentials',
    algorithm: 'bcrypt',
  });
  expect(deps.work.splice(0)).toEqual([bcryptWork(4)]);
  expect(deps.calls.splice(0)).toEqual(['findPasswordLogin']);

  expect(await signIn(deps, { email: 'nobody@b.c', password: 'wrong' })).toEqual({
    outcome: 'wrong-credentials',
  });
  expect(deps.work.splice(0)).toEqual([bcryptWork(4)]);
  expect(deps.calls.splice(0)).toEqual(['findPasswordLogin']);
});

it('signs nobody in without a password, whatever hash was imported', async () => {
  const deps = await useDomain();
  const ofNothing = '$2b$04$Pybd2k1yA8sJmqILUngIPOzz.XPr0qHVHBMtLKixpHgaDlGW/l3W.';
  await importUser(deps, { email: 'a@b.c', passwordHash: ofNothing });
  deps.work.length = 0;
  expect(await signIn(deps, { email: 'a@b.c', password: '' })).toEqual({
    outcome: 'wrong-credentials',
    algorithm: 'bcrypt',
  });
  expect(deps.work).toEqual([bcryptWork(4)]);
});

it('does the same work for the e-mail of a third-party user', async () => {
  const deps = await useDomain();
  await deps.store.signInUpThirdParty({
    identity: { id: 'google', userId: '1' },
    email: 'a@b.c',
    verified: true,
  });
  expect(await signIn(deps, { email: 'a@b.c', password: PASSWORD })).toEqual({
    outcome: 'wrong-credentials',
  });
  expect(deps.work).toEqual([OWN_WORK]);
});

it('makes unknown e-mails cost what users cost, in the same proportions, and each e-mail always the same', async () => {
  const deps = await useDomain();
  for (let n = 0; n < 6; n += 1) {
    const passwordHash = n % 3 === 0 ? BCRYPT_5 : BCRYPT_4;
    await importUser(deps, { email: `user-${n}@b.c`, passwordHash });
  }
  const emails = Array.from({ length: 200 }, (_, n) => `nobody-${n}@b.c`);
  for (const email of emails) await signIn(deps, { email, password: 'x' });
  const first = deps.work.splice(0);
  expect(first).toHaveLength(emails.length);
  expect(new Set(first)).toEqual(new Set([bcryptWork(4), bcryptWork(5)]));
  const cheap = first.filter((work) => work === bcryptWork(4)).length / first.length;
  // 200 throws of a 2/3 coin deviate by 0.033 on average.
  expect(Math.abs(cheap - 2 / 3)).toBeLessThan(0.2);
  for (const email of emails.slice(0, 30)) await signIn(deps, { email, password: 'y' });
  expect(deps.work).toEqual(first.slice(0, 30));
});

it('compares the password exactly, and the e-mail in any letter case', async () => {
  const deps = await useDomain();
  const { user } = await importUser(deps, { email: 'a@b.c', passwordHash: BCRYPT_4 });
  expect(await signIn(deps, { email: ' A@B.C ', password: PASSWORD })).toMatchObject({
    outcome: 'signed-in',
    login: { user, recipeUserId: user.id, hash: { algorithm: 'bcrypt' } },
  });
  for (const password of [
    '',
    `${PASSWORD} `,
    PASSWORD.normalize('NFD'),
    PASSWORD.toUpperCase(),
    'p?ssword',
  ]) {
    expect(await signIn(deps, { email: 'a@b.c', password })).toMatchObject({ outcome: 'wrong-credentials' });
  }
});

it('records a sign-in once a day, and no failed one', async () => {
  const deps = await useDomain();
  await importUser(deps, { email: 'a@b.c', passwordHash: BCRYPT_4 });
  const records = async (password = PASSWORD) => {
    deps.calls.length = 0;
    await signIn(deps, { email: 'a@b.c', password });
    return deps.calls.filter((call) => call === 'recordSignIn').length;
  };
  expect(await records('wrong')).toBe(0);
  expect([await records(), await records(), await records()]).toEqual([1, 0, 0]);
  deps.clock.ms += DAY_MS / 2;
  expect(await records()).toBe(0);
  deps.clock.ms += DAY_MS / 2 + 60_000;
  expect(await records('wrong')).toBe(0);
  expect(await records()).toBe(1);
});

it('records the first sign-in with each hash, on the same day, too', async () => {
  const deps = await useDomain();
  const { user } = await importUser(deps, { email: 'a@b.c', passwordHash: BCRYPT_4 });
  const records = async (password = PASSWORD) => {
    deps.calls.length = 0;
    expect(await signIn(deps, { email: 'a@b.c', password })).toMatchObject({ outcome: 'signed-in' });
    return deps.calls.filter((call) => call === 'recordSignIn').length;
  };
  expect([await records(), await records()]).toEqual([1, 0]);
  await importUser(deps, { email: 'a@b.c', passwordHash: BCRYPT_5 });
  expect([await records(), await records()]).toEqual([1, 0]);
  await updateUser(deps, { recipeUserId: user.id, password: 'another' });
  expect([await records('another'), await records('another')]).toEqual([1, 0]);
});

describe('a login that changes while its password is verified', () => {
  /** Creates a domain in which one of `changes` happens after each read of the login. */
  async function useChangingDomain(...changes: ((deps: Domain, userId: string) => Promise<unknown>)[]) {
    const deps = await useDomain();
    const { user } = await importUser(deps, { email: 'a@b.c', passwordHash: BCRYPT_4 });
    const store = {
      ...deps.store,
      async findPasswordLogin(email: string) {
        const login = await deps.store.findPasswordLogin(email);
        await changes.shift()?.(deps, user.id);
        return login;
      },
    };
    return { ...deps, store };
  }
  const credentials = { email: 'a@b.c', password: PASSWORD };
  const importAs = (passwordHash: string) => (deps: Domain) =>
    importUser(deps, { email: 'a@b.c', passwordHash });

  it('signs in with its new hash, if that is of the same password', async () => {
    const deps = await useChangingDomain(importAs(BCRYPT_5));
    expect(await signIn(deps, credentials)).toMatchObject({
      outcome: 'signed-in',
      login: { hash: { encoded: BCRYPT_5 } },
    });
    expect(deps.work).toEqual([bcryptWork(4), bcryptWork(5)]);
    expect((await findLoginWithHash(deps.store, 'a@b.c'))?.lastSignInMs).toBeDefined();
  });

  it('does not sign in with a password that was replaced', async () => {
    const deps = await useChangingDomain((real, recipeUserId) =>
      updateUser(real, { recipeUserId, password: 'another' }),
    );
    expect(await signIn(deps, credentials)).toMatchObject({ outcome: 'wrong-credentials' });
    expect((await findLoginWithHash(deps.store, 'a@b.c'))?.lastSignInMs).toBeUndefined();
  });

  it('does not sign in after its user was removed', async () => {
    const deps = await useChangingDomain((real, id) => real.store.removeUser(id, 'user'));
    expect(await signIn(deps, credentials)).toEqual({ outcome: 'wrong-credentials' });
  });

  it.each(['for the first time that day', 'again that day'])(
    'does not sign in %s as a removed user, whoever has its e-mail and hash by then',
    async (when) => {
      const changes: ((deps: Domain, id: string) => Promise<unknown>)[] = [
        async (real, id) => {
          await real.store.removeUser(id, 'user');
          await importAs(BCRYPT_4)(real);
        },
      ];
      if (when === 'again that day') changes.unshift(async () => {});
      const deps = await useChangingDomain(...changes);
      const before = when === 'again that day' ? await signIn(deps, credentials) : undefined;
      const answer = await signIn(deps, credentials);
      const { users } = await deps.store.findUsersByAccountInfo({ email: credentials.email }, 'any', 9);
      const [user] = users;
      expect(answer).toMatchObject({ outcome: 'signed-in', login: { user, recipeUserId: user?.id } });
      if (before !== undefined) expect(before).not.toMatchObject({ login: { recipeUserId: user?.id } });
      expect((await findLoginWithHash(deps.store, credentials.email))?.lastSignInMs).toBeDefined();
    },
  );

  it('fails if it keeps changing', async () => {
    const changes = Array.from({ length: 10 }, (_, n) => importAs(n % 2 === 0 ? BCRYPT_5 : BCRYPT_4));
    const deps = await useChangingDomain(...changes);
    await expect(signIn(deps, credentials)).rejects.toMatchObject({ code: 'OVERLOADED' });
    expect(deps.work).toHaveLength(3);
  });
});

it('treats a hash that cannot be evaluated as an error, never as a wrong password', async () => {
  const deps = await useDomain();
  await importUser(deps, { email: 'a@b.c', passwordHash: BCRYPT_4 });
  const store = {
    ...deps.store,
    findPasswordLogin: async (email: string) => {
      const login = await findLoginWithHash(deps.store, email);
      return login && { ...login, hash: { ...login.hash, algorithm: 'retired' } };
    },
  };
  await expect(signIn({ ...deps, store }, { email: 'a@b.c', password: PASSWORD })).rejects.toThrow(
    'no verifier for the stored algorithm retired',
  );
});

it('runs no hash for a caller that has gone', async () => {
  const deps = await useDomain();
  const reason = new Error('gone');
  await expect(signIn(deps, { email: 'a@b.c', password: PASSWORD }, AbortSignal.abort(reason))).rejects.toBe(
    reason,
  );
  expect(deps.work).toEqual([]);
});
