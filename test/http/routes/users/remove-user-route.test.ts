import { describe, expect, it } from 'vitest';
import { useTestApp } from '../../../support/app.ts';
import { insertLinkedUser } from '../../../support/linked-users.ts';
import { getUser, importNew, signInStatus, signInUpNew } from '../../../support/service-calls.ts';

const service = await useTestApp();

async function remove(userId: string, removeAllLinkedAccounts?: boolean) {
  const { status, body } = await service.send('POST', '/user/remove', { userId, removeAllLinkedAccounts });
  expect([status, body]).toEqual([200, { status: 'OK' }]);
}
const UNKNOWN = { status: 'UNKNOWN_USER_ID_ERROR' };

async function rows(userId: string) {
  const count = 'select count(*)::int as n from';
  const found = await service.database.db.query<{ n: number }>(
    `${count} users where user_id = $1 union all ${count} password_logins where user_id = $1
     union all ${count} third_party_logins where user_id = $1 union all ${count} user_aliases where user_id = $1`,
    [userId],
  );
  return found.map(({ n }) => n);
}

it.each(['nobody', '', '00000000-0000-7000-8000-000000000000', 'a\0b'])(
  'succeeds for the unknown user "%s"',
  async (id) => {
    await remove(id);
    await remove(id, false);
  },
);

it.each([undefined, true, false])('frees the e-mail or the identity of a user (all: %s)', async (all) => {
  for (const create of [
    () => importNew(service, 'free@b.c'),
    () => signInUpNew(service, { id: 'google', userId: 'free' }, 'third@b.c'),
  ]) {
    const user = await create();
    await remove(user.id, all);
    expect((await getUser(service, user.id)).body).toEqual(UNKNOWN);
    expect(await signInStatus(service, 'free@b.c')).toBe('WRONG_CREDENTIALS_ERROR');
    const next = await create();
    expect(next.id).not.toBe(user.id);
    await remove(user.id, all);
    expect((await getUser(service, next.id)).body.status).toBe('OK');
    await remove(next.id, all);
  }
});

it('does not affect other users with the same e-mail', async () => {
  const password = await importNew(service, 'same@b.c');
  const third = await signInUpNew(service, { id: 'google', userId: 'same' }, 'same@b.c');
  await remove(password.id);
  expect((await getUser(service, third.id)).body.user).toEqual(third);
});

describe('a user with several login methods', () => {
  const ID = '01930000-0000-7000-8000-000000000001';
  const GOOGLE = '01930000-0000-7000-8000-000000000002';
  const GITHUB = '01930000-0000-7000-8000-000000000003';
  const google = { id: 'google', userId: 'linked' };
  const github = { id: 'github', userId: 'linked' };
  const ALL_IDS = [ID, GOOGLE, GITHUB, 'legacy', 'legacy-google'];

  async function insert() {
    await remove(ID);
    await insertLinkedUser(service.database.db, {
      id: ID,
      externalId: 'legacy',
      timeJoinedMs: 1000,
      methods: [
        { recipeUserId: ID, email: 'linked@b.c', timeJoinedMs: 1000 },
        {
          recipeUserId: GOOGLE,
          externalId: 'legacy-google',
          email: 'google@b.c',
          timeJoinedMs: 2000,
          thirdParty: google,
        },
        { recipeUserId: GITHUB, email: 'github@b.c', timeJoinedMs: 3000, thirdParty: github },
      ],
    });
    expect(await rows(ID)).toEqual([1, 1, 2, 4]);
  }

  it.each(['legacy', GITHUB])('is removed completely by any of its ids: %s', async (id) => {
    await insert();
    await remove(id);
    expect(await rows(ID)).toEqual([0, 0, 0, 0]);
    for (const one of ALL_IDS) expect((await getUser(service, one)).body).toEqual(UNKNOWN);
  });

  it.each([GOOGLE, 'legacy-google'])('loses only the login method that is named: %s', async (id) => {
    await insert();
    await remove(id, false);
    expect((await getUser(service, ID)).body.user).toMatchObject({
      id: 'legacy',
      isPrimaryUser: true,
      timeJoined: 1000,
      emails: ['linked@b.c', 'github@b.c'],
      thirdParty: [github],
    });
    expect((await getUser(service, GOOGLE)).body).toEqual(UNKNOWN);
    expect((await getUser(service, 'legacy-google')).body).toEqual(UNKNOWN);
  });

  it('keeps its id without the login method of that id, and its time joined becomes that of the next one', async () => {
    await insert();
    await remove(ID, false);
    const { user } = (await getUser(service, ID)).body;
    expect(user).toMatchObject({
      id: ID,
      isPrimaryUser: true,
      timeJoined: 2000,
      emails: ['google@b.c', 'github@b.c'],
    });
    expect(user.loginMethods.map((method) => method.recipeUserId)).toEqual(['legacy-google', GITHUB]);
    await importNew(service, 'linked@b.c').then((next) => remove(next.id));
  });

  it('becomes a user with one login method when one is left, until the last one is removed', async () => {
    await insert();
    await remove(GOOGLE, false);
    await remove(GITHUB, false);
    const { user } = (await getUser(service, 'legacy')).body;
    expect(user).toMatchObject({ id: 'legacy', isPrimaryUser: false, emails: ['linked@b.c'] });
    await remove('legacy', false);
    expect(await rows(ID)).toEqual([0, 0, 0, 0]);
  });

  it('is removed once by many simultaneous requests', async () => {
    await insert();
    await Promise.all([GOOGLE, GITHUB, ID, GOOGLE, GITHUB, ID].map((id) => remove(id, false)));
    expect(await rows(ID)).toEqual([0, 0, 0, 0]);
  });
});
