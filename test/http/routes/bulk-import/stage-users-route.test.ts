import { beforeEach, describe, expect, it } from 'vitest';
import { useTestApp } from '../../../support/app.ts';
import { failure, importNew, signIn, signInStatus, signInUpNew } from '../../../support/service-calls.ts';
import {
  bodyOf,
  emailsOfUsers,
  messagesOfFailed,
  STAGE,
  stage,
  stageAndImport,
  staged,
  userOf,
  usersOf,
} from '../../../support/staging.ts';
import { GITHUB, GOOGLE, PASSWORD, PLAIN } from '../../../support/user-forms.ts';

const service = await useTestApp();
beforeEach(() =>
  service.database.db.query(
    'truncate staged_users, users, password_logins, third_party_logins, user_aliases',
  ),
);

const post = (body: unknown) => service.send('POST', STAGE, body);
const rowsOf = (sql: string) => service.database.db.query<Record<string, unknown>>(sql);

const INVALID = 'Data has missing or invalid fields. Please check the users field for more details.';

describe('refuses', () => {
  it.each([{}, { users: null }, { users: 'text' }, { users: {} }])('%j', async (body) => {
    expect(await post(body)).toMatchObject(
      failure(400, 'FIELD_INVALID', "Field name 'users' is invalid in JSON input"),
    );
  });

  it('10,001 users', async () => {
    const error = 'You can only add 10000 users at a time.';
    const answer = await post({ users: Array.from({ length: 10_001 }, () => null) });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      400,
      { statusCode: 400, code: 'IMPORT_REFUSED', error, message: error },
    ]);
  });

  it('all users if some are invalid, with every problem of each', async () => {
    const twice = { ...PASSWORD, isPrimary: true };
    const users = [
      {},
      userOf('good@b.c'),
      { loginMethods: [twice, { ...GOOGLE, isPrimary: true }, { recipeId: 'passwordless', email: 'a@b.c' }] },
      null,
    ];
    const answer = await post({ users });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      400,
      {
        statusCode: 400,
        code: 'IMPORT_REFUSED',
        error: INVALID,
        message: INVALID,
        users: [
          { index: 0, errors: ['loginMethods is required.'] },
          {
            index: 2,
            errors: [
              'passwordless logins cannot be imported. Pass one of emailpassword or thirdparty!',
              'No two loginMethods can have isPrimary as true.',
            ],
          },
          { index: 3, errors: ['user should be of type object.'] },
        ],
      },
    ]);
    expect(await staged(service)).toEqual([]);
  });

  it('a TOTP device without its secret', async () => {
    const user = { ...DOCUMENTED.user_2, totpDevices: [{ secretKey: '' }] };
    const { status, text } = await post({ users: [user] });
    expect([status, JSON.parse(text).users]).toEqual([
      400,
      [{ index: 0, errors: ['secretKey should be of type string for a totp device.'] }],
    ]);
  });

  it('a user that is larger than a line of a stream may be', async () => {
    const users = [userOf('a@b.c', { userMetadata: { text: 'x'.repeat(70_000) } })];
    expect(bodyOf(await post({ users })).users).toEqual([
      { index: 0, errors: ['The user is too large. Max size is 65536 bytes (bulk_import_max_line_bytes).'] },
    ]);
  });

  it('a body above 16 MiB, but not one just below, which single calls may not have', async () => {
    const body = (bytes: number) => `{"users":[${JSON.stringify(userOf('a@b.c'))}]${' '.repeat(bytes)}}`;
    const tooLarge = failure(413, 'BODY_TOO_LARGE', 'Request body is too large: at most 16777216 bytes');
    expect(await post(body(16 * 1024 * 1024))).toMatchObject(tooLarge);
    expect((await post(body(15 * 1024 * 1024))).status).toBe(200);
  });

  it.each(['{},', '[],', '"":0,', '0,'])(
    'a body of %s before it is parsed, if it has too many',
    async (part) => {
      const parts = part.repeat(1_000_000);
      const answer = await post(part.includes(':') ? `{${parts}"users":[]}` : `{"users":[${parts}0]}`);
      expect(answer).toMatchObject(
        failure(413, 'BODY_TOO_LARGE', 'Request body is too large: at most 1000000 of { [ : ,'),
      );
    },
  );
});

/** https://supertokens.com/docs/migration: both examples without the role, otherwise verbatim. */
const DOCUMENTED = {
  user_2: {
    externalUserId: 'user_2',
    userMetadata: { firstName: 'John', lastName: 'Doe', department: 'Marketing' },
    loginMethods: [
      {
        isVerified: true,
        isPrimary: true,
        timeJoinedInMSSinceEpoch: 1672617599000,
        recipeId: 'thirdparty',
        email: 'john.doe@gmail.com',
        thirdPartyId: 'google',
        thirdPartyUserId: 'google_987654321',
      },
    ],
  },
  linked: {
    loginMethods: [
      {
        recipeId: 'emailpassword',
        tenantIds: ['public'],
        isVerified: true,
        isPrimary: true,
        email: 'johndoe@gmail.com',
        passwordHash: '$argon2d$v=19$m=12,t=3,p=1$aGI4enNvMmd0Zm0wMDAwMA$r6p7qbr6HD+8CD7sBi4HVw',
        hashingAlgorithm: 'argon2',
        timeJoinedInMSSinceEpoch: 1713260578868,
      },
      {
        recipeId: 'thirdparty',
        tenantIds: ['public'],
        isVerified: true,
        isPrimary: false,
        email: 'johndoe@gmail.com',
        thirdPartyId: 'google',
        thirdPartyUserId: '106347997792363870000',
        timeJoinedInMSSinceEpoch: 1713260578868,
      },
    ],
  },
};

describe('imports', () => {
  it('the users in the documentation of SuperTokens', async () => {
    await stageAndImport(service, [DOCUMENTED.user_2, DOCUMENTED.linked]);
    expect(await staged(service)).toEqual([]);
    const { body } = await service.send('GET', '/user/id?userId=user_2');
    expect(body).toMatchObject({
      status: 'OK',
      user: {
        id: 'user_2',
        isPrimaryUser: false,
        timeJoined: 1672617599000,
        emails: ['john.doe@gmail.com'],
        thirdParty: [{ id: 'google', userId: 'google_987654321' }],
        loginMethods: [{ recipeUserId: 'user_2', verified: true }],
      },
    });
    expect(await rowsOf('select metadata::json from users where metadata is not null')).toEqual([
      { metadata: DOCUMENTED.user_2.userMetadata },
    ]);
  });

  it('a user with several login methods, who is found by each of its ids', async () => {
    const user = {
      externalUserId: 'own',
      loginMethods: [
        { ...GITHUB, timeJoinedInMSSinceEpoch: 1000, externalUserId: 'of-github' },
        { ...PASSWORD, isPrimary: true, timeJoinedInMSSinceEpoch: 3000 },
        { ...GOOGLE, timeJoinedInMSSinceEpoch: 2000, isVerified: true },
      ],
    };
    await stageAndImport(service, [user]);
    const answers = await Promise.all(
      ['own', 'of-github'].map((id) => service.send('GET', `/user/id?userId=${id}`)),
    );
    for (const { body } of answers) {
      expect(body.user).toMatchObject({
        id: 'own',
        isPrimaryUser: true,
        timeJoined: 1000,
        emails: [GITHUB.email, PASSWORD.email],
        loginMethods: [
          { recipeId: 'thirdparty', recipeUserId: 'of-github', verified: false, timeJoined: 1000 },
          { recipeId: 'thirdparty', email: GOOGLE.email, verified: true, timeJoined: 2000 },
          { recipeId: 'emailpassword', recipeUserId: 'own', timeJoined: 3000 },
        ],
      });
    }
    expect((await signIn(service, PASSWORD.email)).body).toMatchObject({ status: 'OK', recipeUserId: 'own' });
  });

  it('a plain password, which signs in and is stored nowhere', async () => {
    const waiting = await useTestApp({ database: service.database, stagedWaits: true });
    await stage(waiting, [{ loginMethods: [{ ...PLAIN, plaintextPassword: 'a wrong name' }] }]);
    const [row] = await rowsOf('select * from staged_users');
    expect(JSON.stringify(row)).not.toMatch(/pässword|wrong name/);
    expect(row).toMatchObject({
      hashes: [{ algorithm: 'argon2', encoded: expect.stringMatching(/^\$argon2id/) }],
    });
    await service.staged.idle();
    expect(await signInStatus(service, PLAIN.email, PLAIN.plainTextPassword)).toBe('OK');
    expect(waiting.log() + service.log()).not.toMatch(/pässword|\$argon2id|p@b\.c/);
  });

  it('unusable values in members that have no meaning', async () => {
    const user = {
      ...userOf(' \0A@B.c\n'),
      'x\0': '\ud800',
      loginMethods: [{ ...PASSWORD, email: ' \0A@B.c\n' }],
    };
    Object.assign(user.loginMethods[0] ?? {}, { thirdPartyId: 'x\0', phoneNumber: '\ud800' });
    await stageAndImport(service, [user]);
    expect(await emailsOfUsers(service)).toEqual(['a@b.c']);
  });

  it('ten thousand users', async () => {
    await stageAndImport(service, usersOf(10_000));
    expect(await staged(service)).toEqual([]);
    expect((await service.send('GET', '/users/count')).body.count).toBe(10_000);
  });
});

it('logs why users could not be imported, but not who they are', async () => {
  const { db } = service.database;
  await db.query(`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'refused %', new; end $$`);
  await db.query(
    'create trigger refuse before insert on password_logins for each row execute function refuse()',
  );
  await stageAndImport(service, [userOf('refused@b.c')]);
  await db.query('drop function refuse cascade');
  expect(await messagesOfFailed(service)).toEqual([expect.stringMatching(/^The user could not be imported/)]);
  expect(service.log()).toMatch(/"code":"(P0001|XX000)".*"msg":"staged users could not be imported"/);
  expect(service.log()).not.toMatch(/refused@b\.c|\$2b\$/);
});

describe('a user that exists already', () => {
  it('fails with the message of SuperTokens core, and the existing user is unchanged', async () => {
    await importNew(service, PASSWORD.email);
    await signInUpNew(service, { id: 'google', userId: '1' }, 'other@b.c');
    await stageAndImport(service, [userOf('known@b.c', { externalUserId: 'known' })]);
    await stageAndImport(service, [
      { externalUserId: 'taken', loginMethods: [{ ...GITHUB, email: 'first@b.c' }] },
    ]);
    await stageAndImport(service, [
      userOf(PASSWORD.email, { externalUserId: 'fresh' }),
      { loginMethods: [{ ...PASSWORD, email: 'new@b.c' }, GOOGLE] },
      userOf('last@b.c', { externalUserId: 'known' }),
      userOf('twice@b.c'),
      userOf('twice@b.c'),
    ]);
    expect(await messagesOfFailed(service)).toEqual([
      'E003: A user with email a@b.c already exists in emailpassword loginMethod.',
      'E005: A user with thirdPartyId google and thirdPartyUserId 1 already exists in thirdparty loginMethod.',
      'E031: A user with externalId known already exists',
      'E003: A user with email twice@b.c already exists in emailpassword loginMethod.',
    ]);
    expect(await emailsOfUsers(service)).toEqual(['a@b.c', 'known@b.c', 'twice@b.c']);
    expect((await service.send('GET', '/user/id?userId=fresh')).body.status).toBe('UNKNOWN_USER_ID_ERROR');
    expect((await service.send('GET', '/users/count')).body.count).toBe(5);
  });

  it('keeps no hash after the failure', async () => {
    await stageAndImport(service, [userOf('a@b.c'), userOf('a@b.c')]);
    expect(await rowsOf('select status, hashes from staged_users')).toEqual([
      { status: 'FAILED', hashes: [] },
    ]);
  });
});

describe('an external id that occurs twice in a call', () => {
  const google = (more: object) => ({ ...GOOGLE, ...more });
  const primary = (email: string) => ({ ...PASSWORD, email, isPrimary: true });
  it.each([
    ['the same id', userOf('b@b.c', { externalUserId: 'bob' })],
    ['a space behind it', userOf('b@b.c', { externalUserId: 'bob ' })],
    ['control characters', userOf('b@b.c', { externalUserId: '\u0001\tbob\n' })],
    ['the primary method', { loginMethods: [{ ...PASSWORD, email: 'b@b.c', externalUserId: 'bob' }] }],
    ['another method', { loginMethods: [primary('b@b.c'), google({ externalUserId: ' bob' })] }],
  ])('refuses the call, as SuperTokens core does: %s', async (_, second) => {
    for (const first of [
      userOf('a@b.c', { externalUserId: 'bob' }),
      { loginMethods: [primary('a@b.c'), { ...GITHUB, externalUserId: '\tbob' }] },
    ]) {
      const answer = await post({ users: [first, userOf('c@b.c', { externalUserId: 'c' }), second] });
      expect([answer.status, JSON.parse(answer.text).users]).toEqual([
        400,
        [{ index: 2, errors: ['externalUserId bob is not unique. It is already used by another user.'] }],
      ]);
    }
    expect(await rowsOf('select 1 from staged_users')).toEqual([]);
  });
});
