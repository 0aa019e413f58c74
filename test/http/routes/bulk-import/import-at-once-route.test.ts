import { beforeEach, describe, expect, it } from 'vitest';
import { useTestApp } from '../../../support/app.ts';
import { importNew, signInStatus, signInUpNew, UUID_V7 } from '../../../support/service-calls.ts';
import { bodyOf, emailsOfUsers, userOf } from '../../../support/staging.ts';
import { GITHUB, GOOGLE, PASSWORD, PLAIN } from '../../../support/user-forms.ts';

const service = await useTestApp();
beforeEach(() =>
  service.database.db.query('truncate users, password_logins, third_party_logins, user_aliases'),
);

const send = (user: unknown) => service.send('POST', '/bulk-import/import', user);

/** Returns the whole body of a refusal. */
const refusal = (errors: string[]) => ({
  statusCode: 400,
  code: 'IMPORT_REFUSED',
  error: 'Bad Request',
  message: 'The user cannot be imported: errors says why',
  errors,
});

it('reports everything that is wrong with a user', async () => {
  const answer = await send({ externalUserId: 7, loginMethods: [{ ...PASSWORD, passwordHash: 'x' }] });
  expect([answer.status, JSON.parse(answer.text)]).toEqual([
    400,
    refusal([
      'externalUserId should be of type string.',
      expect.stringMatching(/^Password hash is in invalid BCrypt format/),
    ]),
  ]);
});

it('imports a user with all its login methods', async () => {
  const answer = await send({
    externalUserId: 'own',
    userMetadata: { first_name: 'Jane' },
    loginMethods: [{ ...PASSWORD, isPrimary: true, isVerified: true }, GOOGLE],
  });
  expect(answer).toMatchObject({
    status: 200,
    body: {
      status: 'OK',
      user: { id: 'own', isPrimaryUser: true, thirdParty: [{ id: 'google', userId: '1' }] },
    },
  });
  const found = await service.send('GET', '/user/id?userId=own');
  expect(found.body.user).toEqual(answer.body.user);
  expect(found.body.user.loginMethods.map(({ recipeUserId }) => recipeUserId).sort()).toEqual([
    expect.stringMatching(UUID_V7),
    'own',
  ]);
  expect(await service.database.db.query('select metadata::json from users')).toEqual([
    { metadata: { first_name: 'Jane' } },
  ]);
  expect(await signInStatus(service, PASSWORD.email)).toBe('OK');
});

it('imports a plain password, and the user signs in with it', async () => {
  expect((await send({ loginMethods: [PLAIN] })).body.status).toBe('OK');
  expect(await signInStatus(service, PLAIN.email, PLAIN.plainTextPassword)).toBe('OK');
  expect(service.log()).not.toMatch(/pässword|argon2id|p@b\.c/);
});

it('the user has a webauthn member only in the versions that define it, as every user object', async () => {
  const { body } = await service.send('POST', '/bulk-import/import', userOf('a@b.c'), {
    'cdi-version': '5.2',
  });
  expect(body.user).not.toHaveProperty('webauthn');
});

describe('a user that exists already', () => {
  beforeEach(async () => {
    await importNew(service, PASSWORD.email);
    await signInUpNew(service, { id: 'google', userId: '1' }, 'other@b.c');
    await send({ externalUserId: 'taken', loginMethods: [{ ...GITHUB, email: 'third@b.c' }] });
  });

  it.each([
    [userOf(PASSWORD.email), 'E003: A user with email a@b.c already exists in emailpassword loginMethod.'],
    [
      { loginMethods: [{ ...PASSWORD, email: 'new@b.c' }, GOOGLE] },
      'E005: A user with thirdPartyId google and thirdPartyUserId 1 already exists in thirdparty loginMethod.',
    ],
    [userOf('new@b.c', { externalUserId: 'taken' }), 'E031: A user with externalId taken already exists'],
  ])('is refused with the message of SuperTokens core, and nothing changes: %#', async (user, error) => {
    const answer = await send(user);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([400, refusal([error])]);
    expect(await emailsOfUsers(service)).toEqual([PASSWORD.email]);
    expect((await service.send('GET', '/users/count')).body.count).toBe(3);
    expect(service.log()).not.toContain('a@b.c');
  });
});

it('creates one user for simultaneous calls', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => send(userOf('race@b.c'))));
  const refused = answers.filter(({ status }) => status === 400).map((answer) => bodyOf(answer).errors);
  expect(refused).toEqual(
    Array(9).fill(['E003: A user with email race@b.c already exists in emailpassword loginMethod.']),
  );
  expect((await service.send('GET', '/users/count')).body.count).toBe(1);
});
