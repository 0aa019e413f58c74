import { describe, expect, it } from 'vitest';
import { labelledHash } from '../../support/labelled-hashes.ts';
import type { StoreUnderTest } from './store-under-test.ts';

export function describeHashChanges(t: StoreUnderTest): void {
  describe('the record of hash changes', () => {
    const changesOf = (recipeUserId: string) =>
      t.db.query(
        `select changed_by, import_id, hash_algorithm, changed_at > now() - interval '1 minute' as is_new
         from hash_changes where recipe_user_id = $1 order by id`,
        [recipeUserId],
      );
    const change = (changed_by: string, hash_algorithm = 'bcrypt') => ({
      changed_by,
      import_id: null,
      hash_algorithm,
      is_new: true,
    });

    it("has no entry for a user's first hash, or for a change that keeps the hash", async () => {
      const { user } = await t.importUser();
      const signedUp = await t.store.createPasswordUser({ email: t.newEmail(), hash: labelledHash('x') });
      const email = t.newEmail();
      const { user: google } = await t.store.signInUpThirdParty({
        identity: { id: 'google', userId: email },
        email,
        verified: true,
      });
      await t.store.updatePasswordLogin(user.id, { email: t.newEmail() });
      await t.store.updatePasswordLogin(google.id, { hash: labelledHash('x') });
      if (signedUp === 'email-taken') throw new Error('the e-mail is taken');
      for (const { id } of [user, signedUp, google]) expect(await changesOf(id)).toEqual([]);
    });

    it('has no entry for a refused change', async () => {
      const taken = t.newEmail();
      await t.importUser(taken);
      const { user } = await t.importUser();
      await t.store.updatePasswordLogin(user.id, { email: taken, hash: labelledHash('new') });
      expect(await changesOf(user.id)).toEqual([]);
    });

    it('says when a hash was replaced and by whom, without the hash', async () => {
      const email = t.newEmail();
      const { user } = await t.importUser(email);
      await t.importUser(email, 'new');
      await t.store.updatePasswordLogin(user.id, { hash: labelledHash('secret1') });
      await t.store.updatePasswordLogin(user.id, { email: t.newEmail(), hash: labelledHash('secret2') });
      expect(await changesOf(user.id)).toEqual([change('import'), change('user'), change('user')]);
      const [all] = await t.db.query<{ text: string }>(
        'select json_agg(hash_changes)::text as text from hash_changes',
      );
      expect(all?.text).not.toMatch(/\$2b|secret/);
    });

    it('has an entry for each existing user of imports in one batch', async () => {
      const emails = Array.from({ length: 20 }, () => t.newEmail());
      const imports = await Promise.all(emails.slice(0, 10).map((email) => t.importUser(email)));
      const again = await Promise.all(
        [...emails, ...emails.slice(0, 5)].map((email, index) => t.importUser(email, `new${index}`)),
      );
      for (const [index, { user }] of imports.entries()) {
        expect(await changesOf(user.id)).toHaveLength(index < 5 ? 2 : 1);
      }
      for (const { user } of again.slice(10, 20)) expect(await changesOf(user.id)).toEqual([]);
    });

    it('names the login if its user has others', async () => {
      const email = t.newEmail();
      const { user } = await t.importUser(email);
      const recipeUserId = '01890000-0000-7000-8000-0000000000e1';
      await t.addThirdParty(user, '01890000-0000-7000-8000-0000000000e2', t.newEmail());
      await t.db.query('update password_logins set recipe_user_id = $2 where user_id = $1', [
        user.id,
        recipeUserId,
      ]);
      await t.importUser(email, 'new');
      expect(await changesOf(recipeUserId)).toEqual([change('import')]);
    });

    it('is kept after the user is removed', async () => {
      const email = t.newEmail();
      const { user } = await t.importUser(email);
      await t.importUser(email, 'new');
      await t.store.removeUser(user.id, 'user');
      expect(await changesOf(user.id)).toEqual([change('import')]);
    });
  });
}
