import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { VerifiedLogin } from '../../../src/passwords/hash-store.ts';
import { findLoginWithHash } from '../../support/find-login-with-hash.ts';
import { labelledHash } from '../../support/labelled-hashes.ts';
import { NOBODY, type StoreUnderTest } from './store-under-test.ts';

export function describePasswordLogins(t: StoreUnderTest): void {
  describe('createPasswordUser', () => {
    it('creates a user whose e-mail is then taken, also for simultaneous calls', async () => {
      const email = t.newEmail();
      const calls = Array.from({ length: 8 }, (_, index) =>
        t.store.createPasswordUser({ email, hash: labelledHash(`sign${index}`) }),
      );
      const results = await Promise.all(calls);
      const winner = results.findIndex((result) => result !== 'email-taken');
      expect(results.filter((result) => result === 'email-taken')).toHaveLength(7);
      expect(await t.storedHash(email)).toEqual(labelledHash(`sign${winner}`));
      expect(await t.signIn(email)).toEqual(results[winner]);
    });

    it('does not take over an imported user', async () => {
      const email = t.newEmail();
      await t.importUser(email);
      expect(await t.store.createPasswordUser({ email, hash: labelledHash('x') })).toBe('email-taken');
      expect(await t.storedHash(email)).toEqual(labelledHash('old'));
    });
  });

  describe('findPasswordLogin, findSignedIn and recordSignIn', () => {
    const userOf = (email: string, login: VerifiedLogin) =>
      Promise.all([t.store.findSignedIn(email, login), t.store.recordSignIn(email, login)]);

    it('find nobody for an unknown e-mail, or for one of a third-party user', async () => {
      const email = t.newEmail();
      await t.store.signInUpThirdParty({ identity: { id: 'google', userId: email }, email, verified: false });
      expect(await t.store.findPasswordLogin(email)).toBeUndefined();
      expect(await t.store.findPasswordLogin("' or true --")).toBeUndefined();
      const login = { recipeUserId: NOBODY, hash: labelledHash('old') };
      expect(await userOf(email, login)).toEqual([undefined, undefined]);
    });

    it('return the time of the last sign-in', async () => {
      const email = t.newEmail();
      const { user } = await t.importUser(email);
      expect(await t.store.findPasswordLogin(email)).toEqual({
        recipeUserId: user.id,
        hash: labelledHash('old'),
        isSetHere: false,
        isDisabled: false,
        emailSetBy: undefined,
        lastSignInMs: undefined,
      });
      const before = Date.now();
      expect(await t.signIn(email)).toEqual(user);
      const lastSignInMs = (await findLoginWithHash(t.store, email))?.lastSignInMs ?? 0;
      // The database has its own clock.
      expect(Math.abs(lastSignInMs - before)).toBeLessThan(60_000);
      // There was no sign-in with the new hash yet.
      await t.importUser(email, 'new');
      expect((await findLoginWithHash(t.store, email))?.lastSignInMs).toBeUndefined();
    });

    it('query the database once, whoever is looked up', async () => {
      const [email, linked] = [t.newEmail(), t.newEmail()];
      await t.importUser(email);
      const { user } = await t.importUser(linked);
      await t.addThirdParty(user, '01890000-0000-7000-8000-0000000000f0', t.newEmail());
      const query = vi.spyOn(t.db, 'query');
      onTestFinished(() => query.mockRestore());
      for (const one of [email, linked, t.newEmail()]) {
        await t.store.findPasswordLogin(one);
        expect(query.mock.calls.splice(0)).toHaveLength(1);
      }
    });

    it('record no sign-in with a hash that was replaced', async () => {
      const email = t.newEmail();
      const { user } = await t.importUser(email);
      const login = { recipeUserId: user.id, hash: labelledHash('old') };
      await t.store.importPasswordUser({ email, hash: labelledHash('new') });
      expect(await userOf(email, login)).toEqual([undefined, undefined]);
      const rows = await t.db.query('select last_sign_in_at from password_logins where email = $1', [email]);
      expect(rows).toEqual([{ last_sign_in_at: null }]);
    });

    it.each([
      ['algorithm', { algorithm: 'hex-md4' }],
      ['secret', { secretId: 'pepper' }],
    ])('return nothing if the same text is a hash of another %s by now', async (_, before) => {
      const email = t.newEmail();
      const { user } = await t.importUser(email);
      const login = { recipeUserId: user.id, hash: { ...labelledHash('old'), ...before } };
      expect(await userOf(email, login)).toEqual([undefined, undefined]);
    });

    it('return nothing for another user who has the same hash by now', async () => {
      const email = t.newEmail();
      const { user } = await t.importUser(email);
      const login = { recipeUserId: user.id, hash: labelledHash('old') };
      expect(await userOf(email, login)).toEqual([user, user]);
      await t.store.removeUser(user.id, 'user');
      await t.importUser(email);
      expect(await userOf(email, login)).toEqual([undefined, undefined]);
      expect((await findLoginWithHash(t.store, email))?.lastSignInMs).toBeUndefined();
    });

    it('return all logins of a user, and which of them signed in', async () => {
      const email = t.newEmail();
      const { user } = await t.importUser(email);
      await t.addThirdParty(user, '01890000-0000-7000-8000-0000000000f1', t.newEmail());
      await t.db.query("insert into user_aliases values ('ext-f1', 'external', $1, $1)", [user.id]);
      const found = await t.store.findUser(user.id);
      expect(found).toMatchObject({ externalId: 'ext-f1', loginMethods: [{}, {}] });
      const login = { recipeUserId: user.id, hash: labelledHash('old') };
      expect(await userOf(email, login)).toEqual([found, found]);
    });
  });

  describe('updatePasswordLogin', () => {
    it('finds neither third-party logins nor unknown ids', async () => {
      const email = t.newEmail();
      const { user } = await t.store.signInUpThirdParty({
        identity: { id: 'google', userId: email },
        email,
        verified: false,
      });
      for (const id of [user.id, NOBODY, '', 'no id', 'a\0b', '\ud800', NOBODY.toUpperCase()]) {
        expect(await t.store.updatePasswordLogin(id, { hash: labelledHash('x') })).toBe('unknown-user');
      }
    });

    it('changes nothing if the e-mail is taken', async () => {
      const [email, taken] = [t.newEmail(), t.newEmail()];
      const { user } = await t.importUser(email);
      const other = await t.importUser(taken);
      const change = { email: taken, hash: labelledHash('new') };
      expect(await t.store.updatePasswordLogin(user.id, change)).toBe('email-taken');
      expect(await t.store.findUser(user.id)).toEqual(user);
      expect(await t.storedHash(email)).toEqual(labelledHash('old'));
      expect(await t.store.findUser(other.user.id)).toEqual(other.user);
    });

    it('changes e-mail and hash together, and frees the old e-mail', async () => {
      const [email, next] = [t.newEmail(), t.newEmail()];
      const { user } = await t.importUser(email);
      expect(await t.store.updatePasswordLogin(user.id, { email: next, hash: labelledHash('new') })).toBe(
        'updated',
      );
      const login = await findLoginWithHash(t.store, next);
      expect([login?.recipeUserId, login?.hash]).toEqual([user.id, labelledHash('new')]);
      expect((await t.store.findUser(user.id))?.loginMethods.map((method) => method.email)).toEqual([next]);
      expect(await t.store.findPasswordLogin(email)).toBeUndefined();
      expect((await t.importUser(email)).existed).toBe(false);
    });

    it('marks only a login whose e-mail has changed', async () => {
      const [email, next] = [t.newEmail(), t.newEmail()];
      const { user } = await t.importUser(email);
      const isMarked = async () => {
        const [row] = await t.db.query<{ marked: boolean }>(
          'select changed_at is not null as marked from password_logins where user_id = $1',
          [user.id],
        );
        return row?.marked;
      };
      await t.store.updatePasswordLogin(user.id, { email, hash: labelledHash('new') });
      expect(await isMarked()).toBe(false);
      await t.store.updatePasswordLogin(user.id, { email: next });
      expect(await isMarked()).toBe(true);
      await t.importUser(next);
      expect(await isMarked()).toBe(true);
    });

    it("accepts the login's own e-mail", async () => {
      const email = t.newEmail();
      const { user } = await t.importUser(email);
      expect(await t.store.updatePasswordLogin(user.id, { email })).toBe('updated');
      expect(await t.store.findUser(user.id)).toEqual(user);
      expect(await t.storedHash(email)).toEqual(labelledHash('old'));
    });

    it('gives an e-mail to one of several simultaneous calls', async () => {
      const users = await Promise.all(Array.from({ length: 5 }, () => t.importUser()));
      const email = t.newEmail();
      const results = await Promise.all(
        users.map(({ user }) => t.store.updatePasswordLogin(user.id, { email })),
      );
      expect(results.toSorted()).toEqual([...Array(4).fill('email-taken'), 'updated']);
    });
  });

  describe('sampleHashes and ping', () => {
    it('return some stored hashes, at most as many as requested', async () => {
      await t.importUser();
      expect((await t.store.sampleHashes(0)).hashes).toEqual([]);
      const {
        hashes: [hash, ...others],
        standFor,
      } = await t.store.sampleHashes(1);
      expect(standFor).toBeGreaterThanOrEqual(1);
      expect(others).toEqual([]);
      expect(hash?.algorithm).toBe('bcrypt');
      expect(hash?.encoded).toMatch(/^\$2b\$04\$/);
      await t.store.ping();
    });
  });
}
