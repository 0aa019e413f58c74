import { afterAll, describe, expect, it } from 'vitest';
import { createTestApp } from '../support/app.ts';
import { BCRYPT } from '../support/example-hashes.ts';
import { rolledBack } from '../support/import-calls.ts';
import { importLines as importReport, ndjson, type ResultLine } from '../support/ndjson.ts';

const service = await createTestApp();
afterAll(() => service.close());

const PASSWORD = { recipeId: 'emailpassword', passwordHash: BCRYPT.hash, hashingAlgorithm: 'bcrypt' };
const GOOGLE = { recipeId: 'thirdparty', thirdPartyId: 'google' };

const importLines = async (lines: readonly unknown[], query = '') =>
  (await importReport(service, ndjson(...lines), query)).results as [ResultLine, ...ResultLine[]];
const signIn = async (email: string, password = BCRYPT.password) =>
  (await service.send('POST', '/recipe/signin', { email, password })).body;
const signInAtGoogle = async (thirdPartyUserId: string, email: string) =>
  (
    await service.send('POST', '/recipe/signinup', {
      thirdPartyId: 'google',
      thirdPartyUserId,
      email: { id: email, isVerified: true },
    })
  ).body;
const setDisabled = async (userId: string | undefined, disabled: boolean) =>
  (await service.send('PUT', '/recipe/user/disabled', { userId, disabled })).body.status;
const userOf = async (userId: string) => (await service.send('GET', `/user/id?userId=${userId}`)).body.user;

const WRONG = { status: 'WRONG_CREDENTIALS_ERROR' };

describe('a user who was imported as disabled', () => {
  const WAYS: [string, (email: string) => Promise<unknown>][] = [
    ['as a short line', (email) => importLines([{ email, passwordHash: BCRYPT.hash, disabled: true }])],
    ['as a line', (email) => importLines([{ disabled: true, loginMethods: [{ ...PASSWORD, email }] }])],
    [
      'at once',
      (email) =>
        service.send('POST', '/bulk-import/import', {
          disabled: true,
          loginMethods: [{ ...PASSWORD, email }],
        }),
    ],
    [
      'staged',
      async (email) => {
        await service.send('POST', '/bulk-import/users', {
          users: [{ disabled: true, loginMethods: [{ ...PASSWORD, email }] }],
        });
        await service.staged.idle();
      },
    ],
  ];

  it.each(WAYS)('%s, cannot sign in, and shows in listings', async (way, bring) => {
    const email = `${way.replaceAll(' ', '-')}@b.c`;
    await bring(email);
    expect(await signIn(email)).toEqual(WRONG);
    expect(await signIn(email, 'wrong')).toEqual(WRONG);
    const { body } = await service.send(
      'GET',
      `/users/by-accountinfo?doUnionOfAccountInfo=true&email=${email}`,
    );
    expect(body.users).toMatchObject([{ emails: [email], disabled: true }]);
    const [login] = await service.database.db.query<Record<string, unknown>>(
      'select last_sign_in_at, hash_set_by from password_logins where email = $1',
      [email],
    );
    // Neither signed in nor upgraded.
    expect(login).toEqual({ last_sign_in_at: null, hash_set_by: 'import' });
  });

  it('cannot sign in at a provider, and is not changed', async () => {
    const loginMethods = [
      { ...PASSWORD, email: 'two@b.c', isPrimary: true },
      { ...GOOGLE, email: 'two@google.c', thirdPartyUserId: 'two' },
    ];
    await importLines([
      { disabled: true, loginMethods },
      { disabled: true, loginMethods: [{ ...GOOGLE, email: 'one@google.c', thirdPartyUserId: 'one' }] },
    ]);
    for (const id of ['one', 'two'])
      expect(await signInAtGoogle(id, 'other@google.c')).toEqual({
        status: 'SIGN_IN_UP_NOT_ALLOWED',
        reason: 'The user is disabled.',
      });
    const rows = await service.database.db.query(
      `select email, verified_emails, last_sign_in_at from third_party_logins where third_party_user_id in ('one', 'two') order by email`,
    );
    const kept = { verified_emails: null, last_sign_in_at: null };
    expect(rows).toEqual([
      { email: 'one@google.c', ...kept },
      { email: 'two@google.c', ...kept },
    ]);
  });

  it('stays disabled after a new password, a new address and a single import', async () => {
    const [{ userId }] = await importLines([
      { disabled: true, loginMethods: [{ ...PASSWORD, email: 'stays@b.c' }] },
    ]);
    const change = { recipeUserId: userId, email: 'moved@b.c', password: 'new password' };
    expect((await service.send('PUT', '/recipe/user', change)).body.status).toBe('OK');
    expect(await signIn('moved@b.c', 'new password')).toEqual(WRONG);
    const again = { email: 'moved@b.c', passwordHash: BCRYPT.hash };
    const { body } = await service.send('POST', '/recipe/user/passwordhash/import', again);
    expect(body).toMatchObject({ didUserAlreadyExist: true, user: { disabled: true } });
    expect(await signIn('moved@b.c')).toEqual(WRONG);
  });

  it('is refused if `disabled` is not a boolean', async () => {
    const [short, long] = await importLines([
      { email: 'no@b.c', passwordHash: BCRYPT.hash, disabled: 'true' },
      { disabled: 1, loginMethods: [{ ...PASSWORD, email: 'no@b.c' }] },
    ]);
    for (const result of [short, long])
      expect(result).toMatchObject({ status: 'FAILED', code: 'FIELD_INVALID' });
  });
});

describe('PUT /recipe/user/disabled', () => {
  it('disables all logins of a user, and enables them', async () => {
    const loginMethods = [
      { ...PASSWORD, email: 'both@b.c', isPrimary: true },
      { ...GOOGLE, email: 'both@google.c', thirdPartyUserId: 'both' },
    ];
    await importLines([{ externalUserId: 'both', loginMethods }]);
    expect(await setDisabled('both', true)).toBe('OK');
    expect(await userOf('both')).toMatchObject({ disabled: true });
    expect(await signIn('both@b.c')).toEqual(WRONG);
    expect(await signInAtGoogle('both', 'both@google.c')).toMatchObject({
      status: 'SIGN_IN_UP_NOT_ALLOWED',
    });
    expect(await setDisabled('both', false)).toBe('OK');
    expect(await userOf('both')).not.toHaveProperty('disabled');
    expect(await signIn('both@b.c')).toMatchObject({ status: 'OK' });
    expect(await signInAtGoogle('both', 'both@google.c')).toMatchObject({ status: 'OK' });
    expect(await setDisabled('nobody', true)).toBe('UNKNOWN_USER_ID_ERROR');
  });

  it('also ends a sign-in whose password is being verified', async () => {
    const [{ userId }] = await importLines([{ loginMethods: [{ ...PASSWORD, email: 'race@b.c' }] }]);
    const other = await createTestApp({
      database: service.database,
      store: (real) => ({
        ...real,
        async findPasswordLogin(email) {
          const login = await real.findPasswordLogin(email);
          if (login?.isDisabled === false) await real.setDisabled(userId ?? '', true);
          return login;
        },
      }),
    });
    const sent = await other.send('POST', '/recipe/signin', {
      email: 'race@b.c',
      password: BCRYPT.password,
    });
    expect(sent.body).toEqual(WRONG);
    await other.app.close();
  });
});

describe('a line about a user who exists', () => {
  const line = (name: string, disabled?: boolean) => ({
    ...(disabled !== undefined && { disabled }),
    loginMethods: [{ ...PASSWORD, email: `${name}@b.c` }],
  });
  const isDisabled = async (name: string) => {
    const [row] = await service.database.db.query<{ disabled: boolean }>(
      'select disabled from password_logins where email = $1',
      [`${name}@b.c`],
    );
    return row?.disabled;
  };

  it('changes the state by every policy that updates, and an undo restores it', async () => {
    for (const policy of ['update-unchanged', 'overwrite']) {
      await importLines([line(policy)]);
      await importLines([line(policy, true)], `?importId=d-${policy}&onConflict=${policy}`);
      expect([policy, await isDisabled(policy)]).toEqual([policy, true]);
      // A line that does not say it leaves the state.
      await importLines([line(policy)], `?onConflict=${policy}`);
      expect([policy, await isDisabled(policy)]).toEqual([policy, true]);
      expect(await rolledBack(service, `d-${policy}`)).toMatchObject({ statesRestored: 1 });
      expect([policy, await isDisabled(policy)]).toEqual([policy, false]);
    }
    for (const policy of ['skip', 'fail']) {
      await importLines([line(policy)]);
      await importLines([line(policy, true)], `?onConflict=${policy}`);
      expect([policy, await isDisabled(policy)]).toEqual([policy, false]);
    }
  });

  it('leaves a state that a call has set, unless it overwrites', async () => {
    const [{ userId }] = await importLines([line('by-call')]);
    await setDisabled(userId, true);
    await importLines([line('by-call', false)]);
    expect(await isDisabled('by-call')).toBe(true);
    await importLines([line('by-call', false)], '?onConflict=overwrite&importId=by-call');
    expect(await isDisabled('by-call')).toBe(false);
    await setDisabled(userId, false);
    expect(await rolledBack(service, 'by-call')).toMatchObject({ statesKept: 1 });
    expect(await isDisabled('by-call')).toBe(false);
  });

  it('restores the first state if the import has changed it twice, also through other login methods', async () => {
    const loginMethods = [
      { ...PASSWORD, email: 'linked@b.c', isPrimary: true },
      { ...GOOGLE, email: 'linked@google.c', thirdPartyUserId: 'linked' },
    ];
    await importLines([{ loginMethods }]);
    const google = { loginMethods: [{ ...GOOGLE, email: 'linked@google.c', thirdPartyUserId: 'linked' }] };
    await importLines(
      [{ ...google, disabled: true }, line('other'), { ...google, disabled: false }, line('linked', true)],
      '?importId=twice',
    );
    expect(await isDisabled('linked')).toBe(true);
    expect(await signInAtGoogle('linked', 'linked@google.c')).toMatchObject({
      status: 'SIGN_IN_UP_NOT_ALLOWED',
    });
    expect(await rolledBack(service, 'twice')).toMatchObject({ statesRestored: 1, usersRemoved: 1 });
    expect(await isDisabled('linked')).toBe(false);
    expect(await signInAtGoogle('linked', 'linked@google.c')).toMatchObject({ status: 'OK' });
  });

  it('counts as a change of a new user if a call made it', async () => {
    const [first, second] = await importLines([line('new-1'), line('new-2', true)], '?importId=new');
    expect(second?.status).toBe('CREATED');
    await setDisabled(first.userId, true);
    expect(await rolledBack(service, 'new')).toMatchObject({ usersRemoved: 1, usersKept: 1 });
  });

  it('changes nothing in a dry run', async () => {
    await importLines([line('dry')]);
    const [result] = await importLines([line('dry', true)], '?dryRun=true');
    expect(result).toMatchObject({ status: 'UPDATED' });
    expect(await isDisabled('dry')).toBe(false);
  });

  it('applies to a user of an earlier line', async () => {
    await importLines([line('same'), line('same', true)]);
    expect(await isDisabled('same')).toBe(true);
  });
});
