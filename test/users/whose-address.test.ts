/** Whose is an e-mail address? Attempts to get the address, and with it the account, of somebody else. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/config/schema.ts';
import { API_KEY, createTestApp, type TestApp } from '../support/app.ts';
import { BCRYPT } from '../support/example-hashes.ts';
import { legacySystemOf, useLegacySystem } from '../support/legacy-system.ts';
import { importLines, ndjson } from '../support/ndjson.ts';
import { IMPORT, importUser, signIn, signInStatus } from '../support/service-calls.ts';

const KATE = 'kate@x.org';
const MALLORY = 'mallory@x.org';
const READ_KEY = 'key-that-may-only-read';

/** A service beside a legacy system. `legacy.asked` counts its calls about Kate, and `meanwhile` runs before it answers. */
async function useService(config: Partial<Config> = {}) {
  const system = legacySystemOf({ [KATE]: { id: 'old-kate', password: 'her password' } });
  const { calls, settings } = await useLegacySystem(system);
  const legacy = {
    meanwhile: async () => {},
    get asked() {
      return calls.filter(({ email }) => email === KATE).length;
    },
  };
  system.prependListener('request', (_request, response) => {
    const end = response.end.bind(response);
    response.end = (body: unknown) => {
      void legacy.meanwhile().then(() => end(body));
      return response;
    };
  });
  const service = await createTestApp({
    config: {
      ...settings,
      legacy_signin_follow_until: '2999-01-01',
      api_keys: [
        { name: 'all', key: API_KEY, allow: ['import', 'signin', 'read', 'manage'] },
        { name: 'reader', key: READ_KEY, allow: ['read'] },
      ],
      ...config,
    },
  });
  onTestFinished(() => service.close());
  return { ...service, legacy };
}

const importLine = async (service: TestApp, line: object, query = '') =>
  (await importLines(service, ndjson(line), `?${query}`)).results[0];
const password = (email: string, hash = BCRYPT.hash) => ({
  recipeId: 'emailpassword',
  email,
  passwordHash: hash,
  hashingAlgorithm: 'bcrypt',
});
const google = (userId: string, email: string) => ({
  recipeId: 'thirdparty',
  email,
  thirdPartyId: 'google',
  thirdPartyUserId: userId,
});
const signInWithGoogle = async (service: TestApp, userId: string, email: string, isVerified = false) =>
  (
    await service.send('POST', '/recipe/signinup', {
      thirdPartyId: 'google',
      thirdPartyUserId: userId,
      email: { id: email, isVerified },
    })
  ).body;
const changeEmail = async (service: TestApp, recipeUserId: string, email: unknown) =>
  (await service.send('PUT', '/recipe/user', { recipeUserId, email })).body;
const byEmail = async (service: TestApp, email: string, headers = {}) =>
  (
    await service.send(
      'GET',
      `/users/by-accountinfo?doUnionOfAccountInfo=false&email=${encodeURIComponent(email)}`,
      undefined,
      headers,
    )
  ).body.users;

/** Imports Mallory with a password and a linked Google login. Returns the id of the password login. */
async function importMallory(service: TestApp, more: object = {}): Promise<string> {
  const line = { ...more, loginMethods: [{ ...password(MALLORY), isPrimary: true }, google('m', MALLORY)] };
  expect(await importLine(service, line)).toMatchObject({ status: 'CREATED' });
  return (await signIn(service, MALLORY)).body.recipeUserId;
}

/** Moves the login of Mallory to Kate's address past the check of the call, as an earlier version did. */
async function takeAddress(service: TestApp, recipeUserId: string): Promise<void> {
  expect(await service.store.updatePasswordLogin(recipeUserId, { email: KATE })).toBe('updated');
}

describe('a person whom the legacy system knows', () => {
  it('is not moved into the account of somebody who changed the address here to hers', async () => {
    const service = await useService();
    await takeAddress(service, await importMallory(service));
    expect(await signInStatus(service, KATE, 'her password')).toBe('WRONG_CREDENTIALS_ERROR');
    const { user } = await signInWithGoogle(service, 'm', MALLORY);
    expect(user.loginMethods).toHaveLength(2);
    expect(user).not.toHaveProperty('externalUserId');
    expect(JSON.stringify(user)).not.toContain('old-kate');
    expect(await signInStatus(service, KATE)).toBe('OK');
    expect(service.legacy.asked).toBe(0);
  });

  it('is not moved into an account that gets her address while the legacy system answers', async () => {
    const service = await useService();
    const id = await importMallory(service);
    service.legacy.meanwhile = () => takeAddress(service, id);
    expect(await signInStatus(service, KATE, 'her password')).not.toBe('OK');
    expect(JSON.stringify((await signInWithGoogle(service, 'm', MALLORY)).user)).not.toContain('old-kate');
    expect(await signInStatus(service, KATE)).toBe('OK');
  });

  it.each(['waiting', 'here', 'legacy', 'disabled'])(
    'keeps her address, however somebody else writes it, if it is known as: %s',
    async (known) => {
      const service = await useService();
      const id = await importMallory(service);
      if (known === 'waiting') await service.send('POST', IMPORT, { email: KATE, legacySignIn: true });
      if (known === 'here') await importUser(service, KATE, BCRYPT.hash);
      if (known === 'disabled') await importLine(service, { disabled: true, loginMethods: [password(KATE)] });
      const spellings = [KATE, ' KATE@X.ORG\t', '\u212Aate@x.org', [KATE], [[KATE]], { id: KATE }];
      for (const spelling of spellings) {
        const signUp = { email: spelling, password: 'taken over' };
        const answers = [
          await changeEmail(service, id, spelling),
          (await service.send('POST', '/recipe/signup', signUp)).body,
        ];
        const answer =
          typeof spelling === 'string' && !spelling.startsWith('\u212A')
            ? { status: 'EMAIL_ALREADY_EXISTS_ERROR' }
            : { code: 'FIELD_INVALID' };
        for (const one of answers) expect([spelling, one]).toMatchObject([spelling, answer]);
      }
      expect(await signInStatus(service, MALLORY)).toBe('OK');
      const old = known === 'waiting' || known === 'legacy' ? 'her password' : BCRYPT.password;
      expect(await signInStatus(service, KATE, old)).toBe(
        known === 'disabled' ? 'WRONG_CREDENTIALS_ERROR' : 'OK',
      );
    },
  );

  it('is asked about, although somebody signs in at a provider with her address, unless it is verified', async () => {
    const service = await useService();
    await signInWithGoogle(service, 'm', KATE);
    expect((await byEmail(service, KATE)).map(({ loginMethods }) => loginMethods[0].recipeId)).toEqual([
      'thirdparty',
      'emailpassword',
    ]);
    expect(await signInStatus(service, KATE, 'her password')).toBe('OK');
  });

  it('is not asked about if the provider has verified the address', async () => {
    const service = await useService();
    await signInWithGoogle(service, 'k', KATE, true);
    expect(await byEmail(service, KATE)).toHaveLength(1);
    expect(await signInStatus(service, KATE, 'her password')).toBe('WRONG_CREDENTIALS_ERROR');
    expect(service.legacy.asked).toBe(0);
  });

  it('is created by no look-up with a key that may only read', async () => {
    const service = await useService();
    expect(await byEmail(service, KATE, { 'api-key': READ_KEY })).toEqual([]);
    expect(service.legacy.asked).toBe(0);
    expect(await byEmail(service, KATE)).toHaveLength(1);
    expect(await byEmail(service, KATE, { 'api-key': READ_KEY })).toHaveLength(1);
  });
});

describe('a user who was removed', () => {
  it('does not come back through the legacy system, and may sign up again', async () => {
    const service = await useService();
    expect(await signInStatus(service, KATE, 'her password')).toBe('OK');
    await service.send('POST', '/user/remove', { userId: 'old-kate' });
    expect(await signInStatus(service, KATE, 'her password')).toBe('WRONG_CREDENTIALS_ERROR');
    expect(await byEmail(service, KATE)).toEqual([]);
    // No address is left in the database.
    const rows = await service.database.db.query('select * from removed_addresses');
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain('kate');
    const signUp = { email: KATE, password: 'a new one' };
    expect((await service.send('POST', '/recipe/signup', signUp)).body.status).toBe('OK');
    expect(await signInStatus(service, KATE, 'a new one')).toBe('OK');
    expect(await signInStatus(service, KATE, 'her password')).toBe('WRONG_CREDENTIALS_ERROR');
  });

  it('does not come back if only the login method was removed', async () => {
    const service = await useService();
    const line = {
      externalUserId: 'old-kate',
      loginMethods: [{ ...password(KATE), isPrimary: true }, google('k', 'kate@y.org')],
    };
    await importLine(service, line);
    const { recipeUserId } = (await signIn(service, KATE)).body;
    await service.send('POST', '/user/remove', { userId: recipeUserId, removeAllLinkedAccounts: false });
    expect(await signInStatus(service, KATE, 'her password')).toBe('WRONG_CREDENTIALS_ERROR');
  });

  it('does not make the legacy system forget an address that he never proved to own', async () => {
    const service = await useService();
    const { user } = await signInWithGoogle(service, 'm', KATE);
    await service.send('POST', '/user/remove', { userId: user.id });
    expect(await signInStatus(service, KATE, 'her password')).toBe('OK');
  });

  it('does not come back by an id that the login method had before', async () => {
    const service = await useService();
    const methods = [{ ...google('k', 'kate@y.org'), isPrimary: true }, password(KATE)];
    await importLine(service, { loginMethods: methods });
    const { user, recipeUserId } = (await signIn(service, KATE)).body;
    for (const userId of [user.id, recipeUserId])
      await service.send('POST', '/user/remove', { userId, removeAllLinkedAccounts: false });
    expect(await signInStatus(service, KATE, 'her password')).toBe('WRONG_CREDENTIALS_ERROR');
    expect(service.legacy.asked).toBe(0);
  });

  it('does not come back with an answer that was on its way', async () => {
    const service = await useService();
    service.legacy.meanwhile = () => service.store.recordRemoved([KATE]);
    const signUp = { email: KATE, password: 'a new one' };
    expect((await service.send('POST', '/recipe/signup', signUp)).body.status).toBe('OK');
    expect(await signInStatus(service, KATE, 'her password')).toBe('WRONG_CREDENTIALS_ERROR');
  });

  it('shuts out nobody who has the address in the legacy system later', async () => {
    const service = await useService();
    const { user } = (await service.send('POST', '/recipe/signup', { email: 'later@x.org', password: 'm' }))
      .body;
    await service.send('POST', '/user/remove', { userId: user.id });
    expect(await service.store.isSettled('later@x.org')).toBe(false);
  });
});

describe('a user who changes the address', () => {
  it('gets no second user with the former one, and may return to it', async () => {
    const service = await useService();
    const { recipeUserId } = (await signIn(service, KATE, 'her password')).body;
    expect((await changeEmail(service, recipeUserId, 'kate2@x.org')).status).toBe('OK');
    expect(await signInStatus(service, KATE, 'her password')).toBe('WRONG_CREDENTIALS_ERROR');
    expect((await changeEmail(service, recipeUserId, KATE)).status).toBe('OK');
    expect(await signInStatus(service, KATE, 'her password')).toBe('OK');
  });
});

describe('an import', () => {
  it('does not change somebody who took the address of its line here, whatever onConflict is', async () => {
    const service = await useService();
    await takeAddress(service, await importMallory(service));
    const line = { loginMethods: [password(KATE, BCRYPT.hash.replace('$2b', '$2y'))] };
    for (const onConflict of ['update-unchanged', 'overwrite', 'skip', 'fail'])
      for (const dryRun of [true, false]) {
        const result = await importLine(service, line, `dryRun=${dryRun}&onConflict=${onConflict}`);
        expect(['FAILED', 'SKIPPED']).toContain(result?.status);
        if (/update|over/.test(onConflict)) expect(result?.code).toBe('EMAIL_CHANGED_SINCE');
      }
  });

  it.each([
    ['the external id', { externalUserId: 'ext-m' }, [password(KATE)]],
    ['another login', {}, [{ ...password(KATE), isPrimary: true }, google('m', MALLORY)]],
  ])('knows a user who changed the address by %s', async (_what, more, loginMethods) => {
    const service = await useService();
    await takeAddress(service, await importMallory(service, more));
    expect(await importLine(service, { ...more, loginMethods })).toMatchObject({ status: 'UPDATED' });
  });

  it('of a single user is refused if the user with the address has another login', async () => {
    const service = await useService();
    await takeAddress(service, await importMallory(service));
    const other = BCRYPT.hash.replace('$2b', '$2y');
    for (const body of [{ passwordHash: other }, { legacySignIn: true }]) {
      const { status, body: answer } = await service.send('POST', IMPORT, { email: KATE, ...body });
      if ('passwordHash' in body) expect([status, answer.code]).toEqual([409, 'EMAIL_CHANGED_SINCE']);
    }
    // The hash that is there already changes nothing.
    expect((await importUser(service, KATE, BCRYPT.hash)).body).toMatchObject({ didUserAlreadyExist: true });
  });

  it('of a single user replaces the hash of a user who has no other login', async () => {
    const service = await useService();
    const { body } = await importUser(service, MALLORY, BCRYPT.hash);
    await takeAddress(service, body.user.id);
    const other = await importUser(service, KATE, BCRYPT.hash.replace('$2b', '$2y'));
    expect(other.body).toMatchObject({ status: 'OK', didUserAlreadyExist: true });
  });

  it('that moves a user by the external id gives the address back to the legacy system', async () => {
    const service = await useService();
    const line = (email: string) => ({ externalUserId: 'ext-m', loginMethods: [password(email)] });
    const query = 'matchBy=externalId&source=old&onConflict=overwrite';
    await importLine(service, line(MALLORY), query);
    const { recipeUserId } = (await signIn(service, MALLORY)).body;
    await changeEmail(service, recipeUserId, 'm2@x.org');
    expect(await importLine(service, line('m3@x.org'), query)).toMatchObject({ status: 'UPDATED' });
    expect(await service.store.findPasswordLogin('m3@x.org')).toMatchObject({ emailSetBy: undefined });
  });
});
