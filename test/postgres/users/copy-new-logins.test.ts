import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { Connection } from '../../../src/postgres/client/connection.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { type CopyNewLogins, createCopyNewLogins } from '../../../src/postgres/users/copy-new-logins.ts';
import { importLogins } from '../../../src/postgres/users/import-logins.ts';
import { readUsers } from '../../../src/postgres/users/user-rows.ts';
import { useTestDatabase } from '../../support/database.ts';
import { labelledHash } from '../hashes.ts';

let db: Database;
let copyNewLogins: CopyNewLogins;
beforeEach(async () => {
  ({ db } = await useTestDatabase());
  // One Postgres takes what is meant for several, too.
  db.engine = 'citus';
  copyNewLogins = createCopyNewLogins(db);
});

let count = 0;
const logins = (...emails: string[]) =>
  emails.map((email) => {
    count += 1;
    const id = `01890000-0000-7000-8000-${count.toString().padStart(12, '0')}`;
    return { login: { email, hash: labelledHash('old') }, id };
  });
const emails = async () =>
  (await db.query<{ email: string }>('select email from password_logins order by 1')).map(
    ({ email }) => email,
  );
const userCount = async () => (await db.query<{ user_id: string }>('select user_id from users')).length;

it('writes users as the statement does', async () => {
  const [copied] = logins('copied@b.c');
  expect(await copyNewLogins(copied === undefined ? [] : [copied], 1234)).toBe(true);
  const [stated] = await importLogins(db, [{ email: 'stated@b.c', hash: labelledHash('old') }]);
  const rows = await db.query(
    `select linked, verified_emails, password_hash, hash_algorithm, hash_secret_id, hash_class, hash_set_by,
       hash_set_at > now() - interval '1 minute' as is_new, imported_fingerprint, last_sign_in_at, changed_at,
       user_id = recipe_user_id as is_alone
     from password_logins`,
  );
  expect(rows).toHaveLength(2);
  expect(rows[0]).toEqual(rows[1]);
  expect((await readUsers(db, [copied?.id ?? ''])).get(copied?.id ?? '')).toEqual({
    id: copied?.id,
    timeJoinedMs: 1234,
    loginMethods: [
      {
        recipeId: 'emailpassword',
        recipeUserId: copied?.id,
        email: 'copied@b.c',
        verified: false,
        timeJoinedMs: 1234,
      },
    ],
  });
  expect(stated?.existed).toBe(false);
});

it('writes nobody where one of them is there, and leaves them to the statement', async () => {
  expect(await copyNewLogins(logins('a@b.c'), 0)).toBe(true);
  expect(await copyNewLogins(logins('b@b.c', 'a@b.c', 'c@b.c'), 0)).toBe(false);
  expect(await emails()).toEqual(['a@b.c']);
  expect(await userCount()).toBe(1);
  const again = ['b@b.c', 'a@b.c', 'c@b.c'].map((email) => ({ email, hash: labelledHash('new') }));
  const outcomes = await importLogins(db, again, createCopyNewLogins(db));
  expect(outcomes.map(({ existed }) => existed)).toEqual([false, true, false]);
  expect(await userCount()).toBe(3);
});

it('tries less often the more often it is for nothing', async () => {
  const sent = vi.spyOn(Connection.prototype, 'copy');
  onTestFinished(() => sent.mockRestore());
  await copyNewLogins(logins('a@b.c'), 0);
  const tries = async (calls: number) => {
    sent.mockClear();
    for (let call = 0; call < calls; call += 1) expect(await copyNewLogins(logins('a@b.c'), 0)).toBe(false);
    return sent.mock.calls.length;
  };
  expect(await tries(1)).toBe(1);
  expect(await tries(1)).toBe(0);
  expect(await tries(1)).toBe(1);
  expect(await tries(3)).toBe(0);
  expect(await tries(300)).toBeLessThan(12);
  let isDone = false;
  for (let call = 0; call < 64 && !isDone; call += 1)
    isDone = await copyNewLogins(logins(`new-${call}@b.c`), 0);
  expect(isDone).toBe(true);
  expect(await copyNewLogins(logins('next@b.c'), 0)).toBe(true);
});

it('tells of what is no matter of who is there', async () => {
  const [bad] = logins(`${'x'.repeat(10)}\0@b.c`);
  await expect(copyNewLogins(bad === undefined ? [] : [bad], 0)).rejects.toMatchObject({ code: '22021' });
  expect(await emails()).toEqual([]);
});

it('is not for one Postgres', async () => {
  db.engine = 'postgres';
  expect(await copyNewLogins(logins('a@b.c'), 0)).toBe(false);
  expect(await emails()).toEqual([]);
});
