import { beforeEach, describe, expect, it } from 'vitest';
import { ChunkIds } from '../../../../src/imports/resolve/person.ts';
import { useTestApp } from '../../../support/app.ts';
import { signIn, UUID_V7 } from '../../../support/service-calls.ts';
import {
  type AssignedIds,
  messagesOfFailed,
  STAGE,
  stage,
  stageAndImport,
  staged,
  userOf,
  usersOf,
} from '../../../support/staging.ts';
import { GITHUB, GOOGLE, PASSWORD } from '../../../support/user-forms.ts';

const service = await useTestApp({ stagedWaits: true });
beforeEach(() =>
  service.database.db.query(
    'truncate staged_users, users, password_logins, third_party_logins, user_aliases',
  ),
);

const ID = expect.stringMatching(UUID_V7);
const joined = (timeJoinedInMSSinceEpoch: number) => ({ timeJoinedInMSSinceEpoch });
const password = (userId: unknown, email: string) => ({
  recipeId: 'emailpassword',
  userId,
  tenants: ['public'],
  email,
});
const social = (userId: unknown, { email, thirdPartyId, thirdPartyUserId }: typeof GOOGLE) => ({
  recipeId: 'thirdparty',
  userId,
  tenants: ['public'],
  email,
  thirdpartyId: thirdPartyId,
  thirdpartyUserId: thirdPartyUserId,
});

const found = async (id: unknown) => {
  const { body } = await service.send('GET', `/user/id?userId=${encodeURIComponent(String(id))}`);
  return body.user;
};

/** Checks that these ids belong to the users that exist now. */
async function expectFound({ userId, loginMethods }: AssignedIds): Promise<void> {
  const user = await found(userId);
  expect(user?.id).toBe(userId);
  expect(user.loginMethods.map(({ email }) => email).toSorted()).toEqual(
    loginMethods.map(({ email }) => email).toSorted(),
  );
  for (const method of loginMethods) expect(await found(method.userId)).toEqual(user);
}

async function signInIds(email: string) {
  const { body } = await signIn(service, email);
  return { userId: body.user?.id, recipeUserId: body.recipeUserId };
}

async function signInUp({ email, thirdPartyId, thirdPartyUserId }: typeof GOOGLE) {
  const body = { thirdPartyId, thirdPartyUserId, email: { id: email } };
  const answer = await service.send('POST', '/recipe/signinup', body);
  expect(answer.body.createdNewUser).toBe(false);
  return { userId: answer.body.user.id, recipeUserId: answer.body.recipeUserId };
}

describe('the answer has the ids of', () => {
  it('a user with a password', async () => {
    const [told] = await stageAndImport(service, [{ loginMethods: [{ ...PASSWORD, email: ' A@B.c' }] }]);
    expect(told).toEqual({ userId: ID, loginMethods: [password(told?.userId, 'a@b.c')] });
    await expectFound(told as AssignedIds);
    expect(await signInIds('a@b.c')).toEqual({ userId: told?.userId, recipeUserId: told?.userId });
  });

  it('a user with a third party', async () => {
    const [told] = await stageAndImport(service, [{ loginMethods: [GOOGLE] }]);
    expect(told).toEqual({ userId: ID, loginMethods: [social(told?.userId, GOOGLE)] });
    await expectFound(told as AssignedIds);
    expect(await signInUp(GOOGLE)).toEqual({ userId: told?.userId, recipeUserId: told?.userId });
  });

  it.each([
    ['is marked', [GITHUB, { ...PASSWORD, isPrimary: true }, GOOGLE]],
    ['was joined first', [{ ...GITHUB, ...joined(7) }, { ...PASSWORD, ...joined(5) }, GOOGLE]],
  ])(
    'a user with several login methods in the order they were sent, of which the second %s',
    async (_what, loginMethods) => {
      const [told] = await stageAndImport(service, [{ loginMethods }]);
      expect(told).toEqual({
        userId: ID,
        loginMethods: [social(ID, GITHUB), password(told?.userId, 'a@b.c'), social(ID, GOOGLE)],
      });
      const ids = told?.loginMethods.map(({ userId }) => userId);
      expect(new Set(ids).size).toBe(3);
      await expectFound(told as AssignedIds);
      expect(await signInIds('a@b.c')).toEqual({ userId: told?.userId, recipeUserId: told?.userId });
      expect(await signInUp(GITHUB)).toEqual({ userId: told?.userId, recipeUserId: ids?.[0] });
      expect(await signInUp(GOOGLE)).toEqual({ userId: told?.userId, recipeUserId: ids?.[2] });
    },
  );

  it('users with external ids, which replace those of the users but not of the login methods', async () => {
    const [one, several] = await stageAndImport(service, [
      userOf('one@b.c', { externalUserId: ' one ' }),
      {
        externalUserId: 'own',
        loginMethods: [GOOGLE, { ...GITHUB, externalUserId: 'of-github' }, { ...PASSWORD, isPrimary: true }],
      },
    ]);
    expect(one).toEqual({ userId: 'one', loginMethods: [password(ID, 'one@b.c')] });
    expect(several).toEqual({
      userId: 'own',
      loginMethods: [social(ID, GOOGLE), social(ID, GITHUB), password(ID, 'a@b.c')],
    });
    for (const told of [one, several]) await expectFound(told as AssignedIds);
    expect(await signInIds('one@b.c')).toEqual({ userId: 'one', recipeUserId: 'one' });
    expect(await signInIds('a@b.c')).toEqual({ userId: 'own', recipeUserId: 'own' });
    expect(await signInUp(GITHUB)).toEqual({ userId: 'own', recipeUserId: 'of-github' });
    const ofGoogle = several?.loginMethods[0]?.userId;
    expect(await signInUp(GOOGLE)).toEqual({ userId: 'own', recipeUserId: ofGoogle });
  });

  it('many users in the order they were sent', async () => {
    const told = await stage(service, usersOf(2500));
    expect(told.map(({ loginMethods }) => loginMethods[0]?.email)).toEqual(
      usersOf(2500).map(({ loginMethods }) => loginMethods[0]?.email),
    );
    await service.staged.idle();
    const rows = await service.database.db.query(
      'select email, user_id from password_logins order by user_id',
    );
    expect(rows).toEqual(
      told.map(({ userId, loginMethods }) => ({ email: loginMethods[0]?.email, user_id: userId })),
    );
  });

  it('nobody for an empty list', async () => {
    const answer = await service.send('POST', STAGE, { users: [] });
    expect([answer.status, answer.text]).toEqual([200, '{"status":"OK"}']);
  });
});

it('lists and removes users by the assigned id', async () => {
  const told = await stage(service, usersOf(3));
  const ids = told.map(({ userId }) => userId);
  expect((await staged(service)).map(({ id }) => id)).toEqual(ids.toReversed());
  await service.send('POST', `${STAGE}/remove`, { ids: ids.slice(1) });
  await service.staged.idle();
  expect(await Promise.all(ids.map(found))).toEqual([
    expect.objectContaining({ id: ids[0] }),
    undefined,
    undefined,
  ]);
});

describe('an assigned id stays with its user', () => {
  const PAIR = { loginMethods: [{ ...PASSWORD, isPrimary: true }, GOOGLE] };

  it.each([0, 1])('if an earlier user has it as external id: that of login method %i', async (index) => {
    const [told] = await stage(service, [PAIR]);
    const id = told?.loginMethods[index]?.userId;
    const other = userOf('other@b.c', { externalUserId: id });
    expect((await service.send('POST', '/bulk-import/import', other)).status).toBe(200);
    await service.staged.idle();
    expect(await messagesOfFailed(service)).toEqual([`E031: A user with externalId ${id} already exists`]);
    expect((await found(id)).emails).toEqual(['other@b.c']);
  });

  it.each([0, 1])('if a later user has it as external id: that of login method %i', async (index) => {
    const [told] = await stage(service, [PAIR]);
    const id = told?.loginMethods[index]?.userId;
    await stageAndImport(service, [userOf('other@b.c', { externalUserId: id })]);
    expect(await messagesOfFailed(service)).toEqual([`E031: A user with externalId ${id} already exists`]);
    await expectFound(told as AssignedIds);
  });
});

it('imports users whose id was generated before ids were returned', async () => {
  const [told] = await stage(service, [{ loginMethods: [{ ...PASSWORD, isPrimary: true }, GOOGLE, GITHUB] }]);
  const id = `${ChunkIds.create().first.slice(0, -3)}fff`;
  await service.database.db.query('update staged_users set id = $1 where id = $2', [id, told?.userId]);
  await service.staged.idle();
  const user = await found(id);
  const ids = user.loginMethods.map(({ recipeUserId }) => recipeUserId.slice(-3));
  expect(ids.sort()).toEqual(['000', '001', 'fff']);
  for (const { recipeUserId } of user.loginMethods) expect(await found(recipeUserId)).toEqual(user);
});
