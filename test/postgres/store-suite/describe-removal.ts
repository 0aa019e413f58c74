import { describe, expect, it } from 'vitest';
import { NOBODY, type StoreUnderTest } from './store-under-test.ts';

export function describeRemoval(t: StoreUnderTest): void {
  describe('removeUser', () => {
    it('succeeds for an unknown id', async () => {
      for (const id of [NOBODY, '', 'x', '\0']) {
        await t.store.removeUser(id, 'user');
        await t.store.removeUser(id, 'login-method');
      }
    });

    it.each(['user', 'login-method'] as const)(
      'removes a user of one login (%s) and frees its e-mail',
      async (scope) => {
        const email = t.newEmail();
        const { user } = await t.importUser(email);
        await t.db.query("insert into user_aliases values ($2, 'external', $1, $1)", [
          user.id,
          `gone-${scope}`,
        ]);
        await t.store.removeUser(user.id, scope);
        for (const id of [user.id, `gone-${scope}`]) expect(await t.store.findUser(id)).toBeUndefined();
        expect(await t.db.query('select from users where user_id = $1', [user.id])).toEqual([]);
        expect(await t.db.query('select from user_aliases where user_id = $1', [user.id])).toEqual([]);
        expect(await t.importUser(email)).toMatchObject({ existed: false });
      },
    );

    it('frees the identity of a third-party user', async () => {
      const call = { identity: { id: 'google', userId: 'removed' }, email: t.newEmail(), verified: true };
      const first = await t.store.signInUpThirdParty(call);
      await t.store.removeUser(first.user.id, 'user');
      const second = await t.store.signInUpThirdParty({ ...call, verified: false });
      expect(second.created).toBe(true);
      expect(second.user.loginMethods[0]?.verified).toBe(false);
    });

    it('removes all login methods of a user, by the id of any of them', async () => {
      const email = t.newEmail();
      const { user } = await t.importUser(email);
      const recipeUserId = '01890000-0000-7000-8000-0000000000b1';
      await t.addThirdParty(user, recipeUserId, t.newEmail());
      await t.store.removeUser(recipeUserId, 'user');
      expect(await t.store.findUser(user.id)).toBeUndefined();
      expect(await t.store.findPasswordLogin(email)).toBeUndefined();
      for (const table of ['users', 'password_logins', 'third_party_logins', 'user_aliases']) {
        expect(await t.db.query(`select from ${table} where user_id = $1`, [user.id])).toEqual([]);
      }
    });

    it('marks the remaining login methods as changed if one was removed', async () => {
      const { user } = await t.importUser();
      const [first, second] = [
        '01890000-0000-7000-8000-0000000000d1',
        '01890000-0000-7000-8000-0000000000d2',
      ];
      for (const id of [first, second]) await t.addThirdParty(user, id, t.newEmail());
      const marks = async () => {
        const rows = await t.db.query<{ changed: boolean }>(
          `select changed_at is not null as changed from password_logins where user_id = $1
           union all select changed_at is not null from third_party_logins where user_id = $1`,
          [user.id],
        );
        return rows.map(({ changed }) => changed);
      };
      expect(await marks()).toEqual([false, false, false]);
      await t.store.removeUser(first, 'login-method');
      expect(await marks()).toEqual([true, true]);
      await t.db.query('update third_party_logins set changed_at = null where user_id = $1', [user.id]);
      await t.store.removeUser(user.id, 'login-method');
      expect(await marks()).toEqual([true]);
    });

    it('keeps a user with its other login method under the id that applications know', async () => {
      const email = t.newEmail();
      const kept = t.newEmail();
      const { user } = await t.importUser(email);
      const recipeUserId = '01890000-0000-7000-8000-0000000000c1';
      await t.addThirdParty(user, recipeUserId, kept);
      await t.store.removeUser(user.id, 'login-method');
      const timeJoinedMs = user.timeJoinedMs + 1;
      const left = {
        id: user.id,
        timeJoinedMs,
        loginMethods: [
          {
            recipeId: 'thirdparty',
            recipeUserId: user.id,
            email: kept,
            verified: false,
            timeJoinedMs,
            thirdParty: { id: 'apple', userId: recipeUserId },
          },
        ],
      };
      expect(await t.store.findUser(user.id)).toEqual(left);
      expect(await t.store.findUser(recipeUserId)).toEqual(left);
      expect(await t.store.findPasswordLogin(email)).toBeUndefined();
    });
  });
}
