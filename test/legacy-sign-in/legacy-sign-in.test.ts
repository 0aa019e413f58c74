/** First sign-ins at a legacy system: the example of the documents, and hostile or failing ones. */
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { LegacyUser } from '../../examples/legacy-system.ts';
import type { Config } from '../../src/config/schema.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { BCRYPT } from '../support/example-hashes.ts';
import { legacySystemOf, useLegacySystem } from '../support/legacy-system.ts';
import { importUser, signIn, signInStatus } from '../support/service-calls.ts';

const ADA = 'ada@b.c';
const IMPORT = '/recipe/user/passwordhash/import';

/** Starts a service that asks this legacy system. `calls` has what the system was asked about people. */
async function start(server: Server, config: Partial<Config> = {}) {
  const { calls, settings } = await useLegacySystem(server);
  const service = await createTestApp({
    config: { ...settings, legacy_signin_timeout_ms: 2000, ...config },
  });
  onTestFinished(() => service.close());
  return { service, calls };
}

const example = (config: Partial<Config> = {}, users: Record<string, LegacyUser> = {}) =>
  start(legacySystemOf({ [ADA]: { id: 'old-1', password: 'her password' }, ...users }), config);

/** A legacy system that gives this answer to everything. */
const answering = (body: object) =>
  createServer((request, response) => {
    request.resume().on('end', () => response.end(JSON.stringify(body)));
  });

const signUp = async (service: TestApp, email: string) =>
  (await service.send('POST', '/recipe/signup', { email, password: 'new one' })).body;
const byEmail = async (service: TestApp, email: string) =>
  (await service.send('GET', `/users/by-accountinfo?doUnionOfAccountInfo=false&email=${email}`)).body;

describe('with legacy_signin_for: unknown', () => {
  it('moves a person in with profile and external id, once, however many sign-ins come at once', async () => {
    const { service, calls } = await example();
    expect(await signInStatus(service, ADA, 'wrong')).toBe('WRONG_CREDENTIALS_ERROR');
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => signInStatus(service, ADA.toUpperCase(), 'her password')),
    );
    expect([...new Set(answers)]).toEqual(['OK']);
    expect(calls.map(({ type, email, password }) => [type, email, password])).toEqual([
      ['verify', ADA, 'wrong'],
      ['verify', ADA, 'her password'],
    ]);
    const { user } = (await service.send('GET', '/user/id?userId=old-1')).body;
    expect(user.loginMethods).toMatchObject([{ email: ADA, recipeId: 'emailpassword' }]);
    expect(await service.store.findMetadata('old-1')).toBe('{"movedFrom":"legacy"}');
    const audit = await service.database.db.query('select changed_by, hash_algorithm from hash_changes');
    expect(audit).toEqual([{ changed_by: 'moved-in', hash_algorithm: 'argon2' }]);
    // From now on the password is verified here, and wrong ones stay here.
    expect(await signInStatus(service, ADA, 'her password')).toBe('OK');
    expect(await signInStatus(service, ADA, 'wrong')).toBe('WRONG_CREDENTIALS_ERROR');
    expect(calls).toHaveLength(2);
    expect(service.log()).not.toContain('her password');
  });

  it('does not ask again about a person whom another sign-in has moved in since the login was read', async () => {
    const { service, calls } = await example();
    await service.send('POST', IMPORT, { email: ADA, legacySignIn: true });
    const { passwords } = service;
    const verifyDecoy = passwords.verifyDecoy.bind(passwords);
    passwords.verifyDecoy = async () => {
      passwords.verifyDecoy = verifyDecoy;
      expect(await signInStatus(service, ADA, 'her password')).toBe('OK');
    };
    expect(await signInStatus(service, ADA, 'her password')).toBe('OK');
    expect(calls.map(({ type }) => type)).toEqual(['verify']);
  });

  it('signs in a person whom another sign-in moves in meanwhile', async () => {
    const { service } = await example();
    const { passwords } = service;
    const verifyDecoy = passwords.verifyDecoy.bind(passwords);
    passwords.verifyDecoy = async () => {
      passwords.verifyDecoy = verifyDecoy;
      expect(await signInStatus(service, ADA, 'her password')).toBe('OK');
    };
    expect(await signInStatus(service, ADA, 'her password')).toBe('OK');
  });

  it('finds a person before a reset, and refuses a sign-up with the address', async () => {
    const { service, calls } = await example();
    expect((await signUp(service, ADA)).status).toBe('EMAIL_ALREADY_EXISTS_ERROR');
    const { users } = await byEmail(service, ADA);
    expect(users).toHaveLength(1);
    const change = { recipeUserId: users[0]?.loginMethods[0].recipeUserId, password: 'of a reset' };
    await service.send('PUT', '/recipe/user', change);
    expect(await signInStatus(service, ADA, 'of a reset')).toBe('OK');
    expect(await signInStatus(service, ADA, 'her password')).toBe('WRONG_CREDENTIALS_ERROR');
    expect((await signUp(service, 'new@b.c')).status).toBe('OK');
    expect((await byEmail(service, 'nobody@b.c')).users).toEqual([]);
    expect(calls.map(({ type }) => type)).toEqual(['lookup', 'lookup', 'lookup']);
  });

  it('limits the calls for an address, and answers the same for an address it does not ask about', async () => {
    const { service, calls } = await example();
    await importUser(service, 'known@b.c', BCRYPT.hash);
    for (const email of [ADA, 'known@b.c', 'nobody@b.c']) {
      const answers: string[] = [];
      for (let guess = 0; guess < 12; guess += 1)
        answers.push(await signInStatus(service, email, `no ${guess}`));
      expect(answers).toEqual([...Array(10).fill('WRONG_CREDENTIALS_ERROR'), 'OVERLOADED', 'OVERLOADED']);
    }
    expect(await signInStatus(service, 'known@b.c')).toBe('OK');
    expect(calls).toHaveLength(20);
  });

  it('counts simultaneous attempts with one password in the same way, whether it asks about the address or not', async () => {
    // Slow, so that attempts meet even if their hashes are computed one after the other.
    const slow = createServer((request, response) => {
      request.resume().on('end', () => setTimeout(() => response.end('{"status":"WRONG_CREDENTIALS"}'), 250));
    });
    const { service } = await start(slow);
    await importUser(service, 'known@b.c', BCRYPT.hash);
    for (const email of [ADA, 'known@b.c', 'nobody@b.c']) {
      // People who are not asked about wait as long as a recent call.
      await signInStatus(service, email, 'first');
      const together = Array.from({ length: 12 }, () => signInStatus(service, email, 'the same'));
      expect(new Set(await Promise.all(together))).toEqual(new Set(['WRONG_CREDENTIALS_ERROR']));
    }
  });
});

describe('with legacy_signin_for: waiting', () => {
  it('asks about users who wait, and nobody else', async () => {
    const { service, calls } = await example({ legacy_signin_for: 'waiting' });
    expect(await signInStatus(service, ADA, 'her password')).toBe('WRONG_CREDENTIALS_ERROR');
    await service.send('POST', IMPORT, { email: 'unset@b.c', password: 'unset' });
    expect(await signInStatus(service, 'unset@b.c', 'x')).toBe('WRONG_CREDENTIALS_ERROR');
    expect((await byEmail(service, ADA)).users).toEqual([]);
    expect(calls).toEqual([]);
    await service.send('POST', IMPORT, { email: ADA, legacySignIn: true });
    expect(await signInStatus(service, ADA, '')).toBe('WRONG_CREDENTIALS_ERROR');
    expect(await signInStatus(service, ADA, 'her password')).toBe('OK');
    expect(calls).toHaveLength(1);
  });

  it('follows a password that was changed there, until the day and unless it was changed here', async () => {
    const users = { 'later@b.c': { id: 'old-2', password: 'changed there' } };
    const until = { legacy_signin_for: 'waiting', legacy_signin_follow_until: '2999-01-01' } as const;
    const { service, calls } = await example(until, users);
    const imported = (await importUser(service, 'later@b.c', BCRYPT.hash)).body;
    expect(await signInStatus(service, 'later@b.c', 'changed there')).toBe('OK');
    expect(await signInStatus(service, 'later@b.c')).toBe('WRONG_CREDENTIALS_ERROR');
    expect(calls).toHaveLength(2);
    const change = { recipeUserId: imported.recipeUserId ?? imported.user.id, password: 'changed here' };
    await service.send('PUT', '/recipe/user', change);
    expect(await signInStatus(service, 'later@b.c', 'changed there')).toBe('WRONG_CREDENTIALS_ERROR');
    expect(calls).toHaveLength(2);
  });

  it('follows no longer than the day', async () => {
    const past = { legacy_signin_follow_until: '2020-01-01' };
    const { service, calls } = await example({ legacy_signin_for: 'waiting', ...past });
    await importUser(service, ADA, BCRYPT.hash);
    expect(await signInStatus(service, ADA, 'her password')).toBe('WRONG_CREDENTIALS_ERROR');
    expect(calls).toEqual([]);
  });
});

describe('the profile in an answer', () => {
  const profile = { externalUserId: 'old-1', isVerified: true, userMetadata: { from: 'there' } };
  const knowing = (config: Partial<Config> = {}) =>
    start(answering({ status: 'OK', user: { email: ADA, ...profile } }), {
      legacy_signin_for: 'waiting',
      ...config,
    });
  const password = (member: object) => ({ recipeId: 'emailpassword', email: ADA, ...member });

  it('fills in what somebody who waits lacks', async () => {
    const { service } = await knowing();
    await service.send('POST', IMPORT, { email: ADA, legacySignIn: true });
    // The first sign-in moves her in, and the second one reads what the first has stored.
    for (const time of ['first', 'second'])
      expect((await signIn(service, ADA, 'hers')).body, time).toMatchObject({
        status: 'OK',
        user: { id: 'old-1', loginMethods: [{ email: ADA, verified: true }] },
      });
    const { user } = (await service.send('GET', '/user/id?userId=old-1')).body;
    expect(user).toMatchObject({ id: 'old-1', loginMethods: [{ email: ADA, verified: true }] });
    expect(await service.store.findMetadata('old-1')).toBe('{"from":"there"}');
  });

  it('replaces nothing that an import said', async () => {
    const { service } = await knowing();
    await service.send('POST', '/bulk-import/import', {
      externalUserId: 'old-1',
      userMetadata: { from: 'import' },
      loginMethods: [password({ legacySignIn: true })],
    });
    expect(await signInStatus(service, ADA, 'hers')).toBe('OK');
    expect(await service.store.findMetadata('old-1')).toBe('{"from":"import"}');
  });

  it.each([
    ['waits', { legacySignIn: true }],
    ['has a hash', { passwordHash: BCRYPT.hash, hashingAlgorithm: 'bcrypt' }],
  ])(
    'does not give the account of somebody who %s to another person who has the address now',
    async (_, member) => {
      const { service } = await knowing({ legacy_signin_follow_until: '2999-01-01' });
      await service.send('POST', '/bulk-import/import', {
        externalUserId: 'old-2',
        loginMethods: [password(member)],
      });
      expect(await signInStatus(service, ADA, 'hers')).toBe('LEGACY_UNAVAILABLE');
      expect(service.log()).toContain('another external id');
      expect(service.log()).not.toContain('old-');
      expect((await byEmail(service, ADA)).users).toMatchObject([{ id: 'old-2' }]);
      expect((await service.send('GET', '/user/id?userId=old-1')).body.status).toBe('UNKNOWN_USER_ID_ERROR');
    },
  );

  it('adds no metadata to somebody who was imported with a hash', async () => {
    const { service } = await knowing({ legacy_signin_follow_until: '2999-01-01' });
    await importUser(service, ADA, BCRYPT.hash);
    expect(await signInStatus(service, ADA, 'hers')).toBe('OK');
    expect(await service.store.findMetadata('old-1')).toBeUndefined();
    expect((await byEmail(service, ADA)).users).toMatchObject([{ id: 'old-1' }]);
  });
});

describe('an answer that is not to be trusted', () => {
  const OK = (user: object) => ({ status: 'OK', user });
  /** Login methods of a user, all of whom but those that `members` name have the address that was asked about. */
  const logins =
    (...members: object[]) =>
    (email: string) =>
      OK({ loginMethods: members.map((member) => ({ recipeId: 'emailpassword', email, ...member })) });

  /** Answers to questions about one address each. Calls with the last ones count as faults of the system. */
  const ANSWERS: [name: string, body: (email: string) => object | string, status?: number][] = [
    ['a status of the other call', () => ({ status: 'UNKNOWN' })],
    ['no status', () => ({})],
    ['no user', () => ({ status: 'OK' })],
    ['another address', () => OK({ email: 'victim@b.c' })],
    ['another address beside', logins({}, { email: 'victim@b.c' })],
    ['a hash', (email) => OK({ email, passwordHash: BCRYPT.hash })],
    ['a hash in a login method', logins({ passwordHash: BCRYPT.hash })],
    ['an external id of another user', (email) => OK({ email, externalUserId: 'of-victim' })],
    ['metadata that cannot be stored', (email) => OK({ email, userMetadata: { a: '\0' } })],
    ['no password login', logins({ recipeId: 'thirdparty', thirdPartyId: 'g', thirdPartyUserId: '1' })],
    ['a fault', () => '', 500],
    ['a redirect', () => '', 307],
    ['no JSON', () => '<html>'],
    ['JSON that is no object', () => 'null'],
    ['too much', (email) => ({ ...OK({ email }), padding: 'x'.repeat(70_000) })],
  ];

  it('is a fault, never "wrong password", and changes nobody', async () => {
    const server = createServer(async (request, response) => {
      const { email } = JSON.parse(Buffer.concat(await request.toArray()).toString());
      const [, body, status = 200] = ANSWERS[Number.parseInt(email.slice(1), 10)] ?? ['', () => ({})];
      const answer = body(email);
      response.writeHead(status, { location: 'http://127.0.0.1:9/' });
      response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
    });
    const { service, calls } = await start(server);
    const victim = { recipeId: 'emailpassword', email: 'victim@b.c', passwordHash: BCRYPT.hash };
    await service.send('POST', '/bulk-import/import', {
      externalUserId: 'of-victim',
      loginMethods: [{ ...victim, hashingAlgorithm: 'bcrypt' }],
    });
    for (const [index, [name]] of ANSWERS.entries()) {
      const email = `n${index}@b.c`;
      for (const isKnown of [false, true]) {
        if (isKnown) await service.send('POST', IMPORT, { email, legacySignIn: true });
        expect([name, await signInStatus(service, email, 'guess')]).toEqual([name, 'LEGACY_UNAVAILABLE']);
        expect(await service.store.countUsers({})).toBe(1 + index + Number(isKnown));
      }
      expect(calls.splice(0)).toMatchObject([{ email }, { email }]);
    }
    expect(await signInStatus(service, 'victim@b.c')).toBe('OK');
  });

  it('about some people does not stop the sign-ins of others', async () => {
    const odd = [
      { status: 'UNCLEAR' },
      OK({ email: 'victim@b.c' }),
      { status: 'UNKNOWN' },
      { status: 'WRONG_CREDENTIALS', reason: 'odd@b.c' },
      OK({ email: 'odd@b.c', userMetadata: { a: '\0' } }),
    ];
    const server = createServer(async (request, response) => {
      const { email } = JSON.parse(Buffer.concat(await request.toArray()).toString());
      response.end(JSON.stringify(odd[Number.parseInt(email.slice(3), 10)] ?? OK({ email })));
    });
    const { service } = await start(server);
    for (const [index, answer] of odd.entries()) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => signInStatus(service, `odd${index}-${n}@b.c`, 'x')),
      );
      expect([answer, ...new Set(answers)]).toEqual([answer, 'LEGACY_UNAVAILABLE']);
      expect(await signInStatus(service, `fine${index}@b.c`, 'her password')).toBe('OK');
    }
    expect(service.log()).toContain('it answers UNCLEAR');
    expect(service.log()).not.toContain('the legacy system fails');
  });

  it('may be a reason that has nothing to do with the password: it is logged, and the password is wrong', async () => {
    const { service } = await start(answering({ status: 'WRONG_CREDENTIALS', reason: 'RESET_REQUIRED' }), {
      legacy_signin_for: 'waiting',
    });
    await service.send('POST', IMPORT, { email: ADA, legacySignIn: true });
    for (const guess of ['one', 'another'])
      expect(await signInStatus(service, ADA, guess)).toBe('WRONG_CREDENTIALS_ERROR');
    expect(service.log().split('"reason":"RESET_REQUIRED"')).toHaveLength(2);
    expect(service.log()).not.toContain(ADA);
    // The person resets the password, and comes in.
    const { users } = await byEmail(service, ADA);
    const change = { recipeUserId: users[0]?.loginMethods[0].recipeUserId, password: 'of a reset' };
    await service.send('PUT', '/recipe/user', change);
    expect(await signInStatus(service, ADA, 'of a reset')).toBe('OK');
  });

  it('stays out of the log', async () => {
    const { service } = await start(
      answering(OK({ email: 'secret-address@b.c', userMetadata: { a: 'secret-value' } })),
    );
    await signInStatus(service, ADA, 'secret-password');
    expect(service.log()).toContain('its user has another address');
    expect(service.log()).not.toContain('secret-');
  });
});

it('times out, opens the breaker with one line, and asks again when the system is back', async () => {
  let isDown = true;
  const server = createServer((request, response) => {
    if (isDown) return void response.destroy();
    request.resume().on('end', () => response.end('{"status":"WRONG_CREDENTIALS"}'));
  });
  const { service } = await start(server);
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, n) => signInStatus(service, `user-${n}@b.c`, 'x')),
  );
  expect([...new Set(answers)]).toEqual(['LEGACY_UNAVAILABLE']);
  expect(service.log().match(/the legacy system fails/g)).toHaveLength(1);
  // While the breaker is open, a wrong password of somebody known gets the same answer, and the right one signs in.
  await importUser(service, 'known@b.c', BCRYPT.hash);
  expect(await signInStatus(service, 'known@b.c', 'wrong')).toBe('LEGACY_UNAVAILABLE');
  expect(await signInStatus(service, 'known@b.c')).toBe('OK');
  isDown = false;
});

it('gives up on a system that is silent', async () => {
  const { service } = await start(
    createServer(() => {}),
    { legacy_signin_timeout_ms: 200 },
  );
  expect(await signInStatus(service, ADA, 'x')).toBe('LEGACY_UNAVAILABLE');
  expect((await byEmail(service, ADA)).code).toBe('LEGACY_UNAVAILABLE');
});
