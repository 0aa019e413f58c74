import { describe, expect, it } from 'vitest';
import { useTestApp } from '../../../support/app.ts';
import { insertLinkedUser } from '../../../support/linked-users.ts';
import {
  failure,
  importNew,
  signInUpNew,
  UUID_V7,
  userWithOneLogin,
} from '../../../support/service-calls.ts';

const service = await useTestApp();

const signInUp = (thirdPartyUserId: string, id: string, isVerified?: boolean, thirdPartyId = 'google') =>
  service.send('POST', '/recipe/signinup', { thirdPartyId, thirdPartyUserId, email: { id, isVerified } });
const verified = async (...args: Parameters<typeof signInUp>) =>
  (await signInUp(...args)).body.user.loginMethods[0].verified;

it('creates a user with exactly these members', async () => {
  const { status, body } = await signInUp('shape', ' Shape@B.c');
  const { id } = body.user;
  expect(status).toBe(200);
  expect(id).toMatch(UUID_V7);
  const user = userWithOneLogin(body.user, 'shape@b.c', { id: 'google', userId: 'shape' });
  expect(body).toEqual({ status: 'OK', createdNewUser: true, recipeUserId: id, user });
});

it('signs in the user that it created', async () => {
  const user = await signInUpNew(service, { id: 'google', userId: 'again' }, 'again@b.c');
  expect((await signInUp('again', 'AGAIN@b.c')).body).toEqual({
    status: 'OK',
    createdNewUser: false,
    recipeUserId: user.id,
    user,
  });
});

it.each([null, [], 'a@b.c', 5])('refuses %j in place of the e-mail object', async (email) => {
  const body = { thirdPartyId: 'google', thirdPartyUserId: 'refused', email };
  expect(await service.send('POST', '/recipe/signinup', body)).toMatchObject(
    failure(400, 'FIELD_INVALID', "Field name 'email' is invalid in JSON input"),
  );
});

describe('an identity', () => {
  it.each(['', 'x'.repeat(257)])('is refused if its length is out of bounds: "%s"', async (text) => {
    expect(await signInUp(text, 'a@b.c')).toMatchObject(
      failure(400, 'FIELD_INVALID', "Field name 'thirdPartyUserId' is invalid in JSON input"),
    );
    expect(await signInUp('1', 'a@b.c', false, text)).toMatchObject(
      failure(400, 'FIELD_INVALID', "Field name 'thirdPartyId' is invalid in JSON input"),
    );
  });

  it('is compared exactly, and has at most 256 characters', async () => {
    const all = [
      ...['id', 'ID', ' id', 'id\n', '\u00c5', 'A\u030a', 'x'.repeat(256), '😀'.repeat(256)].map(
        (text) => [text, 'google'] as const,
      ),
      ...[' google', 'Google'].map((text) => ['id', text] as const),
    ];
    const ids = new Set<string>();
    for (const [userId, id] of all) {
      const { body } = await signInUp(userId, 'same@b.c', false, id);
      expect(body).toMatchObject({ createdNewUser: true, user: { thirdParty: [{ id, userId }] } });
      ids.add(body.user.id);
    }
    expect(ids.size).toBe(all.length);
  });

  it('is a different user than others with the same e-mail', async () => {
    const imported = await importNew(service, 'shared@b.c');
    const google = await signInUpNew(service, { id: 'google', userId: 'shared' }, 'shared@b.c');
    const other = await signInUpNew(service, { id: 'google', userId: 'shared-2' }, 'shared@b.c');
    const github = await signInUpNew(service, { id: 'github', userId: 'shared' }, 'shared@b.c');
    expect(new Set([imported.id, google.id, other.id, github.id]).size).toBe(4);
    expect((await service.send('GET', `/user/id?userId=${imported.id}`)).body.user).toEqual(imported);
  });
});

describe('a known identity with a different e-mail', () => {
  it('gets that e-mail, and nothing else changes', async () => {
    const user = await signInUpNew(service, { id: 'google', userId: 'moves' }, 'from@b.c');
    const [method] = user.loginMethods;
    const moved = { ...user, emails: ['to@b.c'], loginMethods: [{ ...method, email: 'to@b.c' }] };
    expect((await signInUp('moves', 'To@B.c')).body).toEqual({
      status: 'OK',
      createdNewUser: false,
      recipeUserId: user.id,
      user: moved,
    });
    expect((await service.send('GET', `/user/id?userId=${user.id}`)).body.user).toEqual(moved);
  });

  it('may get an e-mail that other users have', async () => {
    await importNew(service, 'busy@b.c');
    await signInUpNew(service, { id: 'google', userId: 'busy-1' }, 'busy@b.c');
    await signInUpNew(service, { id: 'google', userId: 'busy-2' }, 'free@b.c');
    const { body } = await signInUp('busy-2', 'busy@b.c');
    expect(body).toMatchObject({ status: 'OK', createdNewUser: false, user: { emails: ['busy@b.c'] } });
  });
});

describe('isVerified', () => {
  it('true marks the e-mail at once, also for a new user', async () => {
    const { body } = await signInUp('new-verified', 'v@b.c', true);
    expect(body).toMatchObject({ createdNewUser: true, user: { loginMethods: [{ verified: true }] } });
    expect((await service.send('GET', `/user/id?userId=${body.user.id}`)).body.user).toEqual(body.user);
  });

  it('defaults to false, never removes the mark, and applies to one e-mail of one user', async () => {
    expect(await verified('mine', 'v@b.c')).toBe(false);
    expect(await verified('mine', 'v@b.c', true)).toBe(true);
    expect(await verified('mine', 'V@B.C')).toBe(true);
    expect(await verified('mine', 'second@b.c', false)).toBe(false);
    expect(await verified('mine', 'v@b.c', false)).toBe(true);
    expect(await verified('yours', 'v@b.c', false)).toBe(false);
    expect((await importNew(service, 'v@b.c')).loginMethods[0].verified).toBe(false);
  });
});

it('answers with all login methods of the user, and the id of the one used', async () => {
  const [id, methodId] = ['0190d000-0000-7000-8000-000000000001', '0190d000-0000-7000-8000-000000000002'];
  const google = { id: 'google', userId: 'linked' };
  await insertLinkedUser(service.database.db, {
    id,
    externalId: 'old-user',
    timeJoinedMs: 3,
    methods: [
      { recipeUserId: id, email: 'linked@b.c', timeJoinedMs: 3 },
      {
        recipeUserId: methodId,
        externalId: 'old-google',
        email: 'g@b.c',
        timeJoinedMs: 4,
        thirdParty: google,
      },
    ],
  });
  // test/http/routes/users/find-user-routes.test.ts has all members of such a user.
  expect((await signInUp('linked', 'linked@b.c', true)).body).toMatchObject({
    status: 'OK',
    createdNewUser: false,
    recipeUserId: 'old-google',
    user: {
      id: 'old-user',
      isPrimaryUser: true,
      timeJoined: 3,
      emails: ['linked@b.c'],
      thirdParty: [google],
      loginMethods: [
        { recipeUserId: 'old-user', verified: false, recipeId: 'emailpassword' },
        { recipeUserId: 'old-google', verified: true, recipeId: 'thirdparty', email: 'linked@b.c' },
      ],
    },
  });
});

it('creates one user for many simultaneous first calls', async () => {
  const second = await useTestApp({ database: service.database });
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      (index % 2 === 0 ? service : second).send('POST', '/recipe/signinup', {
        thirdPartyId: 'google',
        thirdPartyUserId: 'race',
        email: { id: 'race@b.c' },
      }),
    ),
  );
  expect(answers.map(({ body }) => body.status)).toEqual(Array(200).fill('OK'));
  expect(answers.filter(({ body }) => body.createdNewUser)).toHaveLength(1);
  expect(new Set(answers.map(({ body }) => JSON.stringify(body.user))).size).toBe(1);
  const found = await service.send('GET', '/users/by-accountinfo?doUnionOfAccountInfo=true&email=race@b.c');
  expect(found.body.users).toEqual([answers[0]?.body.user]);
});
