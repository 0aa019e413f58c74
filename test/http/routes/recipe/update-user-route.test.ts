import { describe, expect, it } from 'vitest';
import { useTestApp } from '../../../support/app.ts';
import { BCRYPT } from '../../../support/example-hashes.ts';
import { insertLinkedUser } from '../../../support/linked-users.ts';
import { failure, importNew, signInStatus, signInUpNew } from '../../../support/service-calls.ts';

const service = await useTestApp();

const update = (recipeUserId: string, change: { email?: string; password?: string }) =>
  service.send('PUT', '/recipe/user', { recipeUserId, ...change });

describe('a refused change', () => {
  it.each([
    [{}, 'UPDATE_EMPTY', 'You have to provide either email or password.'],
    [{ password: '' }, 'PASSWORD_EMPTY', 'Password cannot be an empty string'],
    [{ email: 'changed@b.c', password: '' }, 'PASSWORD_EMPTY', 'Password cannot be an empty string'],
    [{ email: 'a.b.c', password: 'new' }, 'FIELD_INVALID', "Field name 'email' is invalid in JSON input"],
  ] as const)('leaves everything unchanged: %j', async (change, code, message) => {
    const email = `${Buffer.from(JSON.stringify(change)).toString('hex')}@b.c`;
    const user = await importNew(service, email);
    expect(await update(user.id, change)).toMatchObject(failure(400, code, message));
    expect(await signInStatus(service, email, BCRYPT.password)).toBe('OK');
  });
});

it.each(['nobody', '', '00000000-0000-7000-8000-000000000000', 'a\0b'])(
  'reports an unknown user for "%s"',
  async (id) => {
    const { status, body } = await update(id, { email: 'a@b.c', password: 'new' });
    expect([status, body]).toEqual([200, { status: 'UNKNOWN_USER_ID_ERROR' }]);
  },
);

it('reports an unknown user for third-party users', async () => {
  const { id } = await signInUpNew(service, { id: 'google', userId: 'update' }, 'third@b.c');
  expect((await update(id, { email: 'new@b.c' })).body).toEqual({ status: 'UNKNOWN_USER_ID_ERROR' });
  expect((await update(id, { password: 'new' })).body).toEqual({ status: 'UNKNOWN_USER_ID_ERROR' });
});

describe('the e-mail', () => {
  it('changes, and the old one becomes free', async () => {
    const user = await importNew(service, 'old@b.c');
    const { status, body } = await update(user.id, { email: ' NEW@b.c' });
    expect([status, body]).toEqual([200, { status: 'OK' }]);
    const [method] = user.loginMethods;
    expect((await service.send('GET', `/user/id?userId=${user.id}`)).body.user).toEqual({
      ...user,
      emails: ['new@b.c'],
      loginMethods: [{ ...method, email: 'new@b.c' }],
    });
    expect(await signInStatus(service, 'new@b.c', BCRYPT.password)).toBe('OK');
    expect(await signInStatus(service, 'old@b.c', BCRYPT.password)).toBe('WRONG_CREDENTIALS_ERROR');
    expect((await importNew(service, 'old@b.c')).id).not.toBe(user.id);
  });

  it('may stay the same', async () => {
    const { id } = await importNew(service, 'same@b.c');
    expect((await update(id, { email: 'SAME@b.c' })).body).toEqual({ status: 'OK' });
    expect(await signInStatus(service, 'same@b.c', BCRYPT.password)).toBe('OK');
  });

  it('that is taken changes nothing, not even the password', async () => {
    const { id } = await importNew(service, 'mine@b.c');
    await importNew(service, 'taken@b.c');
    expect((await update(id, { email: 'taken@b.c' })).body).toEqual({ status: 'EMAIL_ALREADY_EXISTS_ERROR' });
    const both = await update(id, { email: 'Taken@b.c', password: 'new password' });
    expect([both.status, both.body]).toEqual([200, { status: 'EMAIL_ALREADY_EXISTS_ERROR' }]);
    expect(await signInStatus(service, 'mine@b.c', BCRYPT.password)).toBe('OK');
    expect(await signInStatus(service, 'mine@b.c', 'new password')).toBe('WRONG_CREDENTIALS_ERROR');
    expect(await signInStatus(service, 'taken@b.c', BCRYPT.password)).toBe('OK');
  });

  it('may be one that third-party users have', async () => {
    await signInUpNew(service, { id: 'google', userId: 'email' }, 'social@b.c');
    const { id } = await importNew(service, 'before@b.c');
    expect((await update(id, { email: 'social@b.c' })).body).toEqual({ status: 'OK' });
  });

  it('goes to one of many simultaneous requests', async () => {
    const users = await Promise.all(
      Array.from({ length: 10 }, (_, n) => importNew(service, `wants-${n}@b.c`)),
    );
    const answers = await Promise.all(users.map(({ id }) => update(id, { email: 'wanted@b.c' })));
    const statuses = answers.map(({ body }) => body.status).toSorted();
    expect(statuses).toEqual([...Array(9).fill('EMAIL_ALREADY_EXISTS_ERROR'), 'OK']);
  });
});

describe('the password', () => {
  it('changes without the e-mail', async () => {
    const { id } = await importNew(service, 'password@b.c');
    expect((await update(id, { password: ' pässword ' })).body).toEqual({ status: 'OK' });
    expect(await signInStatus(service, 'password@b.c', ' pässword ')).toBe('OK');
    expect(await signInStatus(service, 'password@b.c', 'pässword')).toBe('WRONG_CREDENTIALS_ERROR');
    expect(await signInStatus(service, 'password@b.c', BCRYPT.password)).toBe('WRONG_CREDENTIALS_ERROR');
  });
});

it.each(['01940000-0000-7000-8000-000000000002', 'legacy-password'])(
  'belongs to the login method that an id names, if the user has several: %s',
  async (recipeUserId) => {
    const id = '01940000-0000-7000-8000-000000000001';
    await service.send('POST', '/user/remove', { userId: id });
    await insertLinkedUser(service.database.db, {
      id,
      timeJoinedMs: 1,
      methods: [
        { recipeUserId: id, email: 'g@b.c', timeJoinedMs: 1, thirdParty: { id: 'google', userId: 'linked' } },
        {
          recipeUserId: '01940000-0000-7000-8000-000000000002',
          externalId: 'legacy-password',
          email: 'linked@b.c',
          timeJoinedMs: 2,
        },
      ],
    });
    expect((await update(id, { password: 'new' })).body).toEqual({ status: 'UNKNOWN_USER_ID_ERROR' });
    expect((await update(recipeUserId, { password: 'new' })).body).toEqual({ status: 'OK' });
    expect(await signInStatus(service, 'linked@b.c', 'new')).toBe('OK');
  },
);
