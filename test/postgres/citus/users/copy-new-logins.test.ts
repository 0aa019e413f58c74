import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { CITUS } from '../../../../src/postgres/citus/citus.ts';
import { createCopyNewLogins } from '../../../../src/postgres/citus/users/copy-new-logins.ts';
import { Connection } from '../../../../src/postgres/client/connection.ts';
import type { Database } from '../../../../src/postgres/client/database.ts';
import { importLogins } from '../../../../src/postgres/users/import-logins.ts';
import { ONE_POSTGRES_QUERIES } from '../../../../src/postgres/users/queries-of.ts';
import { signInUpThirdParties } from '../../../../src/postgres/users/third-party-logins.ts';
import type { CopyNewLogins, NewLogins } from '../../../../src/postgres/users/user-queries.ts';
import { readUsers } from '../../../../src/postgres/users/user-rows.ts';
import { CITUS_STAND_INS, IS_CITUS } from '../../../support/citus.ts';
import { useTestDatabase } from '../../../support/database.ts';
import { labelledHash } from '../../../support/labelled-hashes.ts';

let db: Database;
let copy: CopyNewLogins;
let copyNewLogins: (logins: NewLogins) => Promise<boolean>;
beforeEach(async () => {
  ({ db } = await useTestDatabase());
  // A single Postgres can run the statements for several nodes, too.
  if (!IS_CITUS) await db.query(CITUS_STAND_INS);
  db.engine = CITUS;
  copy = createCopyNewLogins(db);
  copyNewLogins = (logins) => copy.attempt(() => logins);
});

let count = 0;
function newIds() {
  count += 1;
  const userId = `01890000-0000-7000-8000-${count.toString().padStart(12, '0')}`;
  return { userId, recipeUserId: userId, timeJoinedMs: 1234, hasMore: false };
}
const logins = (...emails: string[]) => ({
  passwordLogins: emails.map((email) => ({
    ...newIds(),
    ...{ email, hash: labelledHash('old'), hashSetBy: 'import' as const, verifiedEmails: [] },
  })),
});
const identities = (verifiedEmails: string[], ...userIds: string[]) => ({
  thirdPartyLogins: userIds.map((userId) => ({
    ...newIds(),
    ...{ identity: { id: 'google', userId }, email: 'a@b.c', verifiedEmails, hasSignedIn: true },
  })),
});
const emails = async () =>
  (await db.query<{ email: string }>('select email from password_logins order by 1')).map(
    ({ email }) => email,
  );
const userCount = async () => (await db.query<{ user_id: string }>('select user_id from users')).length;

it('writes users as the statement does', async () => {
  const copied = logins('copied@b.c');
  expect(await copyNewLogins(copied)).toBe(true);
  const [stated] = await importLogins(db, [{ email: 'stated@b.c', hash: labelledHash('old') }]);
  const rows = await db.query(
    `select linked, verified_emails, password_hash, hash_algorithm, hash_secret_id, hash_class, hash_set_by,
       hash_set_at > now() - interval '1 minute' as is_new, imported_fingerprint, last_sign_in_at, changed_at,
       user_id = recipe_user_id as is_alone
     from password_logins`,
  );
  expect(rows).toHaveLength(2);
  expect(rows[0]).toEqual(rows[1]);
  const id = copied.passwordLogins[0]?.userId ?? '';
  const ids = { recipeUserId: id, timeJoinedMs: 1234 };
  expect((await readUsers(db, [id])).get(id)).toEqual({
    id,
    timeJoinedMs: 1234,
    loginMethods: [{ recipeId: 'emailpassword', ...ids, email: 'copied@b.c', verified: false }],
  });
  expect(stated?.existed).toBe(false);
});

it.each([true, false])('writes third-party users as the statement does, verified: %s', async (verified) => {
  const copied = identities(verified ? ['a@b.c'] : [], 'copied');
  expect(await copyNewLogins(copied)).toBe(true);
  const identity = { id: 'google', userId: 'stated' };
  const [stated] = await signInUpThirdParties(db, [{ identity, email: 'a@b.c', verified }]);
  expect(stated).toMatchObject({ created: true });
  const rows = await db.query(
    `select third_party_id, email, linked, verified_emails, last_sign_in_at > now() - interval '1 minute' as is_new, changed_at,
       user_id = recipe_user_id as is_alone
     from third_party_logins`,
  );
  expect(rows).toHaveLength(2);
  expect(rows[0]).toEqual(rows[1]);
  const id = copied.thirdPartyLogins[0]?.userId ?? '';
  expect((await readUsers(db, [id])).get(id)).toMatchObject({
    timeJoinedMs: 1234,
    loginMethods: [{ verified }],
  });
});

it('signs in existing users and creates new ones after a COPY that failed', async () => {
  const signIn = (userId: string) => ({
    identity: { id: 'google', userId },
    email: 'a@b.c',
    verified: false,
  });
  const copyFirst = createCopyNewLogins(db);
  await signInUpThirdParties(db, [signIn('1')], copyFirst);
  const both = await signInUpThirdParties(db, [signIn('1'), signIn('2')], copyFirst);
  expect(both).toMatchObject([{ created: false }, { created: true }]);
  expect(await userCount()).toBe(2);
});

it('writes nobody if one of the users exists, and leaves all of them to the statement', async () => {
  expect(await copyNewLogins(logins('a@b.c'))).toBe(true);
  expect(await copyNewLogins(logins('b@b.c', 'a@b.c', 'c@b.c'))).toBe(false);
  expect(await emails()).toEqual(['a@b.c']);
  expect(await userCount()).toBe(1);
  const again = ['b@b.c', 'a@b.c', 'c@b.c'].map((email) => ({ email, hash: labelledHash('new') }));
  const outcomes = await importLogins(db, again, { copyNewLogins: createCopyNewLogins(db) });
  expect(outcomes.map(({ existed }) => existed)).toEqual([false, true, false]);
  expect(await userCount()).toBe(3);
});

it('writes no login if its user cannot be written', async () => {
  const [first, second] = logins('a@b.c', 'b@b.c').passwordLogins;
  if (first === undefined || second === undefined) throw new Error('two were asked for');
  const passwordLogins = [first, { ...second, userId: first.userId }];
  expect(await copyNewLogins({ passwordLogins })).toBe(false);
  expect(await emails()).toEqual([]);
  expect(await userCount()).toBe(0);
  expect(await copyNewLogins(logins('c@b.c'))).toBe(false);
  copy.wrote({ wereKnown: false });
  expect(await copyNewLogins(logins('c@b.c'))).toBe(true);
});

it('COPY is not tried after users were known, until several calls in a row find none', async () => {
  const sent = vi.spyOn(Connection.prototype, 'copy');
  onTestFinished(() => sent.mockRestore());
  await copyNewLogins(logins('a@b.c'));
  /** Counts how many of these calls try it unsuccessfully. */
  const tries = async (calls: number, wereKnown: boolean) => {
    sent.mockClear();
    for (let call = 0; call < calls; call += 1) {
      expect(await copyNewLogins(logins('a@b.c'))).toBe(false);
      copy.wrote({ wereKnown });
    }
    return sent.mock.calls.length;
  };
  expect(await tries(300, true)).toBe(1);
  expect(await tries(1, false)).toBe(0);
  expect(await tries(1, true)).toBe(1);
  // The more often it failed, the more calls without known users are needed before the next attempt.
  expect(await tries(100, false)).toBeLessThan(16);
  let isDone = false;
  for (let call = 0; call < 8 && !isDone; call += 1) {
    isDone = await copyNewLogins(logins(`new-${call}@b.c`));
    if (!isDone) copy.wrote({ wereKnown: false });
  }
  expect(isDone).toBe(true);
  expect(await copyNewLogins(logins('next@b.c'))).toBe(true);
});

it('passes on errors that are not about existing users', async () => {
  const bad = logins(`${'x'.repeat(10)}\0@b.c`);
  await expect(copyNewLogins(bad)).rejects.toMatchObject({ code: '22021' });
  expect(await emails()).toEqual([]);
});

it('COPY is not used on a single Postgres', async () => {
  const { attempt } = ONE_POSTGRES_QUERIES.createCopyNewLogins(db);
  expect(await attempt(() => logins('a@b.c'))).toBe(false);
  expect(await emails()).toEqual([]);
});
