/** Nothing brings the old password of a user back who has moved, or whose password was changed. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useTestApp } from '../support/app.ts';
import { removeEverything } from '../support/database.ts';
import { BCRYPT, OTHER_BCRYPT } from '../support/example-hashes.ts';
import { importWithId, rolledBack } from '../support/import-calls.ts';
import { signInStatus } from '../support/service-calls.ts';

let nowMs = Date.now();
const service = await useTestApp({ now: () => nowMs });
// Wrong passwords of a test do not count in the next one.
beforeEach(() => {
  nowMs += 60 * 60_000;
});
afterEach(() => removeEverything(service.database.db));

const person = (name: string, passwordHash = BCRYPT.hash) => ({
  externalUserId: name,
  loginMethods: [{ recipeId: 'emailpassword', email: `${name}@b.c`, passwordHash }],
});

const verify = async (name: string, password = BCRYPT.password) =>
  (await service.send('POST', '/hooks/verify', { identifier: `${name}@b.c`, password, waits: true })).body
    .status;
const changed = (identifier: string, more: object = {}) =>
  service.send('POST', '/hooks/changed', { identifier, ...more });

it('a rollback keeps users who have moved, and those whose password was changed', async () => {
  await importWithId(
    service,
    'first',
    ['ada', 'bob', 'cy'].map((name) => person(name)),
  );
  await verify('ada');
  await changed('bob@b.c');
  expect(await rolledBack(service, 'first')).toEqual({ usersRemoved: 1, usersKept: 2 });
  await importWithId(
    service,
    'second',
    ['ada', 'bob', 'cy'].map((name) => person(name)),
    '&onConflict=overwrite',
  );
  expect([await verify('ada'), await verify('bob'), await verify('cy')]).toEqual([
    'MATCH',
    'NO_MATCH',
    'MATCH',
  ]);
});

it('a rollback restores no hash of a user whose password was changed', async () => {
  await importWithId(service, 'first', [person('ada')]);
  await importWithId(service, 'second', [person('ada', OTHER_BCRYPT.hash)], '&onConflict=overwrite');
  await changed('ada@b.c');
  expect(await rolledBack(service, 'second')).toEqual({ hashesKept: 1 });
  expect(await signInStatus(service, 'ada@b.c')).toBe('WRONG_CREDENTIALS_ERROR');
});

it.each(['update-unchanged', 'overwrite'])('nobody is missing who has moved (%s)', async (onConflict) => {
  const query = `&matchBy=externalId&source=shop&onConflict=${onConflict}`;
  await importWithId(
    service,
    'first',
    ['ada', 'bob', 'cy'].map((name) => person(name)),
    query,
  );
  await verify('ada');
  await changed('bob@b.c');
  await importWithId(service, 'second', [person('dan')], `${query}&deleteMissing=10`);
  const emails = await service.database.db.query('select email from password_logins order by email');
  expect(emails.map(({ email }) => email)).toEqual(['ada@b.c', 'bob@b.c', 'dan@b.c']);
});

it('a removed login leaves no record behind', async () => {
  await importWithId(service, 'first', [person('ada')]);
  await verify('ada');
  await service.send('POST', '/user/remove', { userId: 'ada', removeAllLinkedAccounts: true });
  expect(await service.database.db.query('select from moved_logins')).toEqual([]);
});

describe('a user with two password logins', () => {
  const TWO = {
    externalUserId: 'two',
    loginMethods: [
      { recipeId: 'emailpassword', email: 'a@b.c', passwordHash: BCRYPT.hash, isPrimary: true },
      { recipeId: 'emailpassword', email: 'b@b.c', passwordHash: OTHER_BCRYPT.hash },
    ],
  };
  const ask = async (login: string, password: string) =>
    (await service.send('POST', `/hooks/keycloak/${encodeURIComponent(login)}`, { password })).status;
  const idOf = async (email: string) =>
    (
      await service.database.db.query<{ id: string }>(
        'select recipe_user_id as id from password_logins where email = $1',
        [email],
      )
    )[0]?.id ?? '';
  beforeEach(() => importWithId(service, 'first', [TWO]));

  it('is asked about the login that the id names', async () => {
    const b = await idOf('b@b.c');
    expect([await ask(b, OTHER_BCRYPT.password), await ask(b, BCRYPT.password)]).toEqual([200, 401]);
    expect([await ask('two', BCRYPT.password), await ask('two', OTHER_BCRYPT.password)]).toEqual([200, 401]);
  });

  it('has one limit of wrong passwords for all names of a login', async () => {
    const names = ['two', 'a@b.c', ' A@b.c', await idOf('a@b.c')];
    for (let count = 0; count < 10; count += 1)
      expect(await ask(names[count % names.length] ?? '', 'wrong')).toBe(401);
    const limited = await service.send('POST', '/hooks/verify', {
      identifier: 'a@b.c',
      password: BCRYPT.password,
    });
    expect(limited.body.code).toBe('HOOK_LIMIT');
    expect(await ask('b@b.c', OTHER_BCRYPT.password)).toBe(200);
  });

  it('loses the login only that the address and the id name together', async () => {
    await changed('a@b.c', { externalUserId: 'somebody' });
    expect(await ask('a@b.c', BCRYPT.password)).toBe(200);
    await changed('a@b.c', { externalUserId: 'two' });
    expect([await ask('a@b.c', BCRYPT.password), await ask('b@b.c', OTHER_BCRYPT.password)]).toEqual([
      401, 200,
    ]);
  });
});

it('a user does not move if the answer cannot be made', async () => {
  const factors = { totpDevices: [{ secretKey: 'JBSWY3DPEHPK3PXP' }] };
  await importWithId(service, 'first', [{ ...person('ada'), ...factors }]);
  const { db } = service.database;
  await db.query('update users set factors = set_byte(factors, 2, get_byte(factors, 2) # 1)');
  const answer = await service.send('POST', '/hooks/verify', {
    identifier: 'ada@b.c',
    password: BCRYPT.password,
  });
  expect(answer).toMatchObject({ status: 400, body: { code: 'FACTORS_SECRET_MISSING' } });
  expect(await db.query('select from moved_logins')).toEqual([]);
});

it('a match counts only for the hash that was verified', async () => {
  await importWithId(service, 'first', [person('ada')]);
  const { createMovedStore } = await import('../../src/postgres/hooks/create-moved-store.ts');
  const moved = createMovedStore(service.database.db);
  const [row] = await service.database.db.query<{ user_id: string }>('select user_id from password_logins');
  const login = { email: 'ada@b.c', recipeUserId: row?.user_id ?? '', userId: row?.user_id ?? '' };
  const hash = { algorithm: 'bcrypt', encoded: OTHER_BCRYPT.hash } as never;
  const by = { hook: 'kratos', keyName: 'key' } as const;
  await expect(moved.recordMatch(login, hash, by)).rejects.toThrow('concurrent changes');
  expect(await service.database.db.query('select from moved_logins')).toEqual([]);
});

it('hashes are deleted together with the record of it', async () => {
  await importWithId(service, 'first', [person('ada')]);
  await verify('ada');
  const { db } = service.database;
  const { createMovedStore } = await import('../../src/postgres/hooks/create-moved-store.ts');
  await db.query("update moved_logins set last_match_at = now() - interval '31 days'");
  await db.query(
    'alter table password_logins add constraint keeps check (password_hash is not null) not valid',
  );
  await expect(createMovedStore(db).expire(30)).rejects.toThrow('keeps');
  await db.query('alter table password_logins drop constraint keeps');
  expect(await createMovedStore(db).expire(30)).toBe(1);
  expect(await db.query('select from password_logins where password_hash is not null')).toEqual([]);
});
