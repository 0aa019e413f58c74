import { describe, expect, it } from 'vitest';
import { createUserStore } from '../../../src/postgres/users/create-user-store.ts';
import { labelledHash } from '../../support/labelled-hashes.ts';
import { UUID_V7 } from '../../support/service-calls.ts';
import { idsOf, type StoreUnderTest } from './store-under-test.ts';

export function describeImports(t: StoreUnderTest): void {
  describe('importPasswordUser', () => {
    it('fails a bad row without affecting others', async () => {
      const refused = 'refused@example.com';
      await t.db.query(`alter table password_logins add constraint no_such check (email <> '${refused}')`);
      const emails = [t.newEmail(), refused, t.newEmail()];
      const results = await Promise.allSettled(emails.map((email) => t.importUser(email)));
      await t.db.query('alter table password_logins drop constraint no_such');
      expect(results).toMatchObject([
        { status: 'fulfilled', value: { existed: false } },
        { status: 'rejected', reason: { code: '23514', constraint: 'no_such' } },
        { status: 'fulfilled', value: { existed: false } },
      ]);
      expect(await Promise.all(emails.map(async (email) => (await t.storedHash(email))?.encoded))).toEqual([
        labelledHash('old').encoded,
        undefined,
        labelledHash('old').encoded,
      ]);
    });

    it('creates a user with a time-ordered id, which is also that of its login', async () => {
      const before = Date.now();
      const email = t.newEmail();
      const { user, existed } = await t.importUser(email);
      expect(existed).toBe(false);
      expect(user.id).toMatch(UUID_V7);
      expect(user.timeJoinedMs).toBeGreaterThanOrEqual(before);
      expect(user.timeJoinedMs).toBeLessThanOrEqual(Date.now());
      expect(user).toEqual({
        id: user.id,
        timeJoinedMs: user.timeJoinedMs,
        loginMethods: [
          {
            recipeId: 'emailpassword',
            recipeUserId: user.id,
            email,
            verified: false,
            timeJoinedMs: user.timeJoinedMs,
          },
        ],
      });
      expect(await t.store.findUser(user.id)).toEqual(user);
    });

    it('replaces the hash of a known e-mail and nothing else', async () => {
      const email = t.newEmail();
      const { user } = await t.importUser(email);
      expect(await t.signIn(email)).toEqual(user);
      const before = await t.store.findPasswordLogin(email);
      const again = await t.store.importPasswordUser({ email, hash: labelledHash('new') });
      expect(again).toEqual({ user, existed: true });
      expect(await t.store.findPasswordLogin(email)).toEqual({
        ...before,
        hash: labelledHash('new'),
        // The last sign-in belonged to the old hash.
        lastSignInMs: undefined,
      });
    });

    it('creates one user for simultaneous imports of one e-mail, and the last one wins', async () => {
      const email = t.newEmail();
      const others = Array.from({ length: 20 }, () => t.newEmail());
      const labels = Array.from({ length: 10 }, (_, index) => `number${index}`);
      const [duplicates] = await Promise.all([
        Promise.all(labels.map((label) => t.store.importPasswordUser({ email, hash: labelledHash(label) }))),
        Promise.all(others.map((other) => t.importUser(other))),
      ]);
      expect(duplicates.map(({ existed }) => existed)).toEqual([false, ...Array(9).fill(true)]);
      expect(new Set(duplicates.map(({ user }) => user.id)).size).toBe(1);
      expect(await t.storedHash(email)).toEqual(labelledHash('number9'));
    });

    it('returns to each of many simultaneous calls its own user', async () => {
      const known = await Promise.all(Array.from({ length: 30 }, () => t.importUser()));
      const knownEmails = known.map(({ user }) => user.loginMethods[0]?.email ?? '');
      const emails = knownEmails.flatMap((email) => [email, t.newEmail()]);
      const results = await Promise.all(emails.map((email) => t.importUser(email)));
      expect(results.map(({ user }) => user.loginMethods[0]?.email)).toEqual(emails);
      expect(results.map(({ existed }) => existed)).toEqual(emails.map((_, index) => index % 2 === 0));
      expect(idsOf(results.filter(({ existed }) => existed).map(({ user }) => user))).toEqual(
        idsOf(known.map(({ user }) => user)),
      );
    });

    it('creates one user for simultaneous imports of one e-mail by several instances', async () => {
      const stores = Array.from({ length: 8 }, () => createUserStore(t.db));
      for (let round = 0; round < 10; round += 1) {
        const email = t.newEmail();
        const results = await Promise.all(
          stores.map((one) => one.importPasswordUser({ email, hash: labelledHash('x') })),
        );
        expect(results.filter(({ existed }) => !existed)).toHaveLength(1);
        expect(new Set(results.map(({ user }) => user.id)).size).toBe(1);
      }
    });

    it('does not affect a third-party user with the same e-mail', async () => {
      const email = t.newEmail();
      const { user } = await t.store.signInUpThirdParty({
        identity: { id: 'google', userId: email },
        email,
        verified: true,
      });
      const imported = await t.importUser(email);
      expect(imported.existed).toBe(false);
      expect(imported.user.id).not.toBe(user.id);
      expect(await t.store.findUser(user.id)).toEqual(user);
    });
  });
}
