import { expect, it } from 'vitest';
import { useTestApp } from '../../../support/app.ts';
import { BCRYPT } from '../../../support/example-hashes.ts';
import {
  failure,
  importNew,
  signInStatus,
  signInUpNew,
  UUID_V7,
  userWithOneLogin,
} from '../../../support/service-calls.ts';

const service = await useTestApp();

const signUp = (email: string, password: string) =>
  service.send('POST', '/recipe/signup', { email, password });

it('refuses an empty password', async () => {
  expect(await signUp('empty@b.c', '')).toMatchObject(
    failure(400, 'PASSWORD_EMPTY', 'Password cannot be an empty string'),
  );
  expect((await signUp('empty@b.c', ' ')).body.status).toBe('OK');
});

it('reports an e-mail that is taken, and changes nothing', async () => {
  await importNew(service, 'taken@b.c');
  const { status, body } = await signUp(' TAKEN@b.c', 'mine now');
  expect(status).toBe(200);
  expect(body).toEqual({ status: 'EMAIL_ALREADY_EXISTS_ERROR' });
  expect(await signInStatus(service, 'taken@b.c', BCRYPT.password)).toBe('OK');
  expect(await signInStatus(service, 'taken@b.c', 'mine now')).toBe('WRONG_CREDENTIALS_ERROR');
});

it('creates a user who can sign in', async () => {
  const { status, body } = await signUp(' New@B.c', 'pässwörd ✓');
  expect(status).toBe(200);
  expect(body.user.id).toMatch(UUID_V7);
  expect(body).toEqual({
    status: 'OK',
    recipeUserId: body.user.id,
    user: userWithOneLogin(body.user, 'new@b.c'),
  });
  expect(await signInStatus(service, 'new@b.c', 'pässwörd ✓')).toBe('OK');
  expect(await signInStatus(service, 'new@b.c', 'passwörd ✓')).toBe('WRONG_CREDENTIALS_ERROR');
});

it('accepts an e-mail that third-party users have', async () => {
  const third = await signInUpNew(service, { id: 'google', userId: 'up' }, 'both@b.c');
  const { body } = await signUp('both@b.c', 'any');
  expect(body.status).toBe('OK');
  expect(body.user.id).not.toBe(third.id);
});

it.each([
  ['ARGON2', 'argon2', /^\$argon2id\$v=19\$m=64,t=1,p=1\$[\w+/]{22}\$[\w+/]{43}$/],
  ['BCRYPT', 'bcrypt', /^\$2b\$05\$[\w./]{53}$/],
] as const)('hashes with the configured algorithm: %s', async (setting, algorithm, format) => {
  const config = { password_hashing_alg: setting, bcrypt_log_rounds: 5 };
  const configured = await useTestApp({ config });
  await configured.send('POST', '/recipe/signup', { email: 'a@b.c', password: 'any' });
  const rows = await configured.database.db.query(
    'select password_hash, hash_algorithm, hash_set_by from password_logins',
  );
  expect(rows).toEqual([
    { password_hash: expect.stringMatching(format), hash_algorithm: algorithm, hash_set_by: 'user' },
  ]);
});

it('gives the e-mail to one of many simultaneous requests', async () => {
  const answers = await Promise.all(
    Array.from(
      { length: 50 },
      async (_, index) => (await signUp('race@b.c', `password ${index}`)).body.status,
    ),
  );
  expect(answers.toSorted()).toEqual([...Array(49).fill('EMAIL_ALREADY_EXISTS_ERROR'), 'OK']);
  const winner = answers.indexOf('OK');
  expect(await signInStatus(service, 'race@b.c', `password ${winner}`)).toBe('OK');
  expect(await signInStatus(service, 'race@b.c', `password ${(winner + 1) % 50}`)).toBe(
    'WRONG_CREDENTIALS_ERROR',
  );
});
