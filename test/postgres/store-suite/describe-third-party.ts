import { describe, expect, it } from 'vitest';
import { createUserStore } from '../../../src/postgres/users/create-user-store.ts';
import { UUID_V7 } from '../../support/service-calls.ts';
import type { StoreUnderTest } from './store-under-test.ts';

export function describeThirdPartyLogins(t: StoreUnderTest): void {
  describe('signInUpThirdParty', () => {
    const signIn = (userId: string, email: string, verified = false) =>
      t.store.signInUpThirdParty({ identity: { id: 'google', userId }, email, verified });
    const verifiedOf = async (...call: Parameters<typeof signIn>) =>
      (await signIn(...call)).user.loginMethods[0]?.verified;

    it('creates a user, and finds it again by its identity only', async () => {
      const [email, other] = [t.newEmail(), t.newEmail()];
      const first = await signIn('found-again', email);
      const { id, timeJoinedMs } = first.user;
      expect(id).toMatch(UUID_V7);
      expect(first).toEqual({
        created: true,
        recipeUserId: id,
        user: {
          id,
          timeJoinedMs,
          loginMethods: [
            {
              recipeId: 'thirdparty',
              recipeUserId: id,
              email,
              verified: false,
              timeJoinedMs,
              thirdParty: { id: 'google', userId: 'found-again' },
            },
          ],
        },
      });
      const second = await signIn('found-again', other);
      expect([second.created, second.recipeUserId, second.user.id]).toEqual([false, id, id]);
      expect(second.user.loginMethods.map((method) => method.email)).toEqual([other]);
      expect(second.user.timeJoinedMs).toBe(timeJoinedMs);
      expect(await t.store.findUser(id)).toEqual(second.user);
    });

    it('compares both parts of an identity exactly', async () => {
      const identities = [
        { id: 'a', userId: 'bc' },
        { id: 'ab', userId: 'c' },
        { id: 'A', userId: 'bc' },
        { id: 'a ', userId: 'bc' },
        { id: 'bc', userId: 'a' },
      ];
      const email = t.newEmail();
      const results = await Promise.all(
        identities.map((identity) => t.store.signInUpThirdParty({ identity, email, verified: false })),
      );
      expect(results.map(({ created }) => created)).toEqual([true, true, true, true, true]);
      expect(new Set(results.map(({ user }) => user.id)).size).toBe(5);
    });

    it('marks an address verified for ever, and no other', async () => {
      const [email, other] = [t.newEmail(), t.newEmail()];
      expect(await verifiedOf('verified', email, false)).toBe(false);
      expect(await verifiedOf('verified', email, true)).toBe(true);
      expect(await verifiedOf('verified', email, false)).toBe(true);
      expect(await verifiedOf('verified', other, false)).toBe(false);
      expect(await verifiedOf('verified', email, false)).toBe(true);
      expect(await verifiedOf('verified', other, true)).toBe(true);
      expect(await verifiedOf('verified', email, true)).toBe(true);
      const rows = await t.db.query(
        "select verified_emails from third_party_logins where third_party_user_id = 'verified'",
      );
      expect(rows).toEqual([{ verified_emails: [email, other] }]);
      expect(await verifiedOf('another user', email, false)).toBe(false);
    });

    it('creates one user for simultaneous first calls', async () => {
      const email = t.newEmail();
      const stores = Array.from({ length: 6 }, () => createUserStore(t.db));
      const calls = [...stores, ...stores].map((one) =>
        one.signInUpThirdParty({ identity: { id: 'google', userId: 'at-once' }, email, verified: false }),
      );
      const results = await Promise.all(calls);
      expect(results.filter(({ created }) => created)).toHaveLength(1);
      expect(new Set(results.map(({ user }) => user.id)).size).toBe(1);
    });
  });
}
