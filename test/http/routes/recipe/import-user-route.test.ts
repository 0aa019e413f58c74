import { describe, expect, it } from 'vitest';
import { useTestApp } from '../../../support/app.ts';
import { ARGON2, BCRYPT, EXTERNAL_SCRYPT, OTHER_BCRYPT } from '../../../support/example-hashes.ts';
import {
  countUsers,
  IMPORT,
  importNew,
  importUser,
  signInStatus,
  signInUpNew,
  UUID_V7,
  userWithOneLogin,
} from '../../../support/service-calls.ts';

const service = await useTestApp();

describe('a new user', () => {
  it('has exactly these members', async () => {
    const before = Date.now();
    const { status, body } = await importUser(service, 'shape@b.c', BCRYPT.hash);
    const { id, timeJoined } = body.user;
    expect(status).toBe(200);
    expect(id).toMatch(UUID_V7);
    expect(timeJoined).toBeGreaterThanOrEqual(before);
    expect(timeJoined).toBeLessThanOrEqual(Date.now());
    const user = userWithOneLogin(body.user, 'shape@b.c');
    expect(body).toEqual({ status: 'OK', didUserAlreadyExist: false, user });
    expect((await service.send('GET', `/user/id?userId=${id}`)).body.user).toEqual(body.user);
  });

  it.each([
    ['bcrypt', BCRYPT, undefined],
    ['bcrypt, named', BCRYPT, 'bcrypt'],
    ['bcrypt, named loudly', BCRYPT, ' BCrypt\n'],
    ['argon2', ARGON2, undefined],
    ['argon2, named', ARGON2, 'ARGON2'],
    ['external scrypt', EXTERNAL_SCRYPT, undefined],
    ['external scrypt, named', EXTERNAL_SCRYPT, 'external_scrypt'],
    ['external scrypt, by its alias', EXTERNAL_SCRYPT, 'Firebase_Scrypt'],
    ['a hash with white space around it', { ...BCRYPT, hash: ` \t${BCRYPT.hash}\r\n` }, undefined],
  ])('signs in with the old password: %s', async (what, { hash, password }, algorithm) => {
    const email = `${what.replaceAll(/\W/g, '')}@b.c`;
    expect((await importUser(service, email, hash, { hashingAlgorithm: algorithm })).body.status).toBe('OK');
    expect(await signInStatus(service, email, password)).toBe('OK');
    expect(await signInStatus(service, email, `${password} `)).toBe('WRONG_CREDENTIALS_ERROR');
  });
});

it.each([
  [
    'a hash that is the password in the clear',
    IMPORT,
    { email: 'clear@b.c', passwordHash: '{noop}pass', hashingAlgorithm: 'spring-delegating' },
  ],
  [
    'a user with a password at once',
    '/bulk-import/import',
    { loginMethods: [{ recipeId: 'emailpassword', email: 'at-once@b.c', plainTextPassword: 'pass' }] },
  ],
])('hashes a password in the lane of its API key, behind all sign-ins: %s', async (_name, path, body) => {
  const before = service.passwords.gateCounts();
  expect((await service.send('POST', path, body)).status).toBe(200);
  const after = service.passwords.gateCounts();
  expect(after.trial.started - before.trial.started).toBe(1);
  expect(after.ordinary.started).toBe(before.ordinary.started);
});

describe('importing an e-mail again', () => {
  it('replaces the hash and nothing else', async () => {
    const user = await importNew(service, 'again@b.c');
    const again = await importUser(service, 'again@b.c', OTHER_BCRYPT.hash);
    expect(again.body).toEqual({ status: 'OK', didUserAlreadyExist: true, user });
    expect(await signInStatus(service, 'again@b.c', OTHER_BCRYPT.password)).toBe('OK');
    expect(await signInStatus(service, 'again@b.c', BCRYPT.password)).toBe('WRONG_CREDENTIALS_ERROR');
  });

  it('replaces a password that was set by signing up', async () => {
    const { body } = await service.send('POST', '/recipe/signup', { email: 'up@b.c', password: 'first' });
    expect((await importUser(service, 'up@b.c', BCRYPT.hash)).body).toMatchObject({
      didUserAlreadyExist: true,
      user: { id: body.user.id },
    });
    expect(await signInStatus(service, 'up@b.c', 'first')).toBe('WRONG_CREDENTIALS_ERROR');
    expect(await signInStatus(service, 'up@b.c', BCRYPT.password)).toBe('OK');
  });

  it('does not affect third-party users with the same e-mail', async () => {
    const identity = { id: 'google', userId: 'same-mail' };
    const third = await signInUpNew(service, identity, 'same@b.c');
    const imported = await importNew(service, 'same@b.c');
    expect(imported.id).not.toBe(third.id);
    expect((await importUser(service, 'same@b.c', OTHER_BCRYPT.hash)).body.user).toEqual(imported);
    expect((await service.send('GET', `/user/id?userId=${third.id}`)).body.user).toEqual(third);
  });
});

describe('simultaneous imports', () => {
  it('of one new e-mail create one user', async () => {
    const second = await useTestApp({ database: service.database });
    const before = await countUsers(service);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        (index % 2 === 0 ? service : second).send('POST', IMPORT, {
          email: 'race@b.c',
          passwordHash: BCRYPT.hash,
        }),
      ),
    );
    expect(answers.map(({ body }) => body.status)).toEqual(Array(200).fill('OK'));
    expect(answers.filter(({ body }) => !body.didUserAlreadyExist)).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body.user))).size).toBe(1);
    expect(await countUsers(service)).toBe(before + 1);
  });
});
