import { describe, expect, it } from 'vitest';
import type { AccountInfo } from '../../../src/users/user-store.ts';
import { idsOf, NOBODY, type StoreUnderTest } from './store-under-test.ts';

export function describeReading(t: StoreUnderTest): void {
  describe('findUser', () => {
    it('finds nobody for text that is not an id', async () => {
      for (const id of ['', 'x', NOBODY, `${NOBODY} `, '\0', '\udfff', "' or true --", 'x'.repeat(4000)]) {
        expect(await t.store.findUser(id)).toBeUndefined();
      }
    });

    it('finds a user by its own id, by that of each login method, and by its external id', async () => {
      const { user } = await t.importUser();
      const recipeUserId = '01890000-0000-7000-8000-0000000000a1';
      await t.addThirdParty(user, recipeUserId, t.newEmail());
      await t.db.query("insert into user_aliases values ('ext-1', 'external', $1, $1)", [user.id]);
      const found = await t.store.findUser(user.id);
      expect(found).toMatchObject({ id: user.id, externalId: 'ext-1', timeJoinedMs: user.timeJoinedMs });
      expect(
        found?.loginMethods.map((method) => [method.recipeId, method.recipeUserId, method.externalId]),
      ).toEqual([
        ['emailpassword', user.id, 'ext-1'],
        ['thirdparty', recipeUserId, undefined],
      ]);
      expect(await t.store.findUser(recipeUserId)).toEqual(found);
      expect(await t.store.findUser('ext-1')).toEqual(found);
      expect(await t.store.findUser('EXT-1')).toBeUndefined();
    });
  });

  describe('findUsersByAccountInfo', () => {
    it('finds nobody without a condition', async () => {
      expect((await t.store.findUsersByAccountInfo({}, 'any', 9)).users).toEqual([]);
      expect((await t.store.findUsersByAccountInfo({}, 'all', 9)).users).toEqual([]);
    });

    it('matches one condition or all of them, and sorts the oldest first', async () => {
      const [email, other] = [t.newEmail(), t.newEmail()];
      const identity = { id: 'google', userId: 'by-info' };
      const password = (await t.importUser(email)).user.id;
      const both = (await t.store.signInUpThirdParty({ identity, email, verified: false })).user.id;
      const unrelated = (await t.importUser(other)).user.id;
      await t.db.query('update users set time_joined_ms = 1000 where user_id = $1', [both]);
      const find = async (info: AccountInfo, match: 'all' | 'any') =>
        idsOf((await t.store.findUsersByAccountInfo(info, match, 9)).users);

      expect(await find({ email }, 'any')).toEqual([both, password]);
      expect(await find({ thirdParty: identity }, 'all')).toEqual([both]);
      expect(await find({ email, thirdParty: identity }, 'all')).toEqual([both]);
      expect(await find({ email: other, thirdParty: identity }, 'all')).toEqual([]);
      expect(await find({ email: other, thirdParty: identity }, 'any')).toEqual([both, unrelated]);
      expect(await find({ thirdParty: { ...identity, id: 'apple' } }, 'any')).toEqual([]);
    });
  });
}
