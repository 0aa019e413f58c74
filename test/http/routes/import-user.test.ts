import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createTestApp, type TestApp } from '../../support/app.ts';
import {
  ARGON2,
  BCRYPT,
  EXTERNAL_SCRYPT,
  failure,
  IMPORT,
  importNew,
  insertLinkedUser,
  OTHER_BCRYPT,
  signInUpNew,
  UUID_V7,
} from '../fixtures.ts';

let service: TestApp;
beforeAll(async () => {
  service = await createTestApp();
});
afterAll(() => service.close());

const importUser = (email: string, passwordHash: string, hashingAlgorithm?: string) =>
  service.send('POST', IMPORT, { email, passwordHash, hashingAlgorithm });
const signIn = async (email: string, password: string) =>
  (await service.send('POST', '/recipe/signin', { email, password })).body.status;
const countUsers = async () => (await service.send('GET', '/users/count')).body.count;

describe('a hash that cannot be verified later', () => {
  const { hash } = BCRYPT;
  const [scrypt, argon] = [EXTERNAL_SCRYPT.hash, ARGON2.hash];
  const INVALID = 'PASSWORD_HASH_INVALID';

  it.each([
    ['empty', '', undefined, 'PASSWORD_HASH_EMPTY', 'Password hash cannot be an empty string'],
    ['white space', ' \t\n', undefined, 'PASSWORD_HASH_EMPTY', 'Password hash cannot be an empty string'],
    ['empty, named', '', 'bcrypt', 'PASSWORD_HASH_EMPTY', 'Password hash cannot be an empty string'],
    ['none known', 'hunter2', undefined, INVALID, 'Password hash is in invalid format'],
    ['MD5', '$1$saltsalt$qjXMvbEw8oaL.CzflDtaK/', undefined, INVALID, 'Password hash is in invalid format'],
    [
      'bcrypt of no variant',
      `$2$04${hash.slice(6)}`,
      undefined,
      INVALID,
      'Password hash is in invalid BCrypt format',
    ],
    [
      'bcrypt cut off',
      hash.slice(0, 41),
      undefined,
      INVALID,
      'Password hash is in invalid BCrypt format: expected 60 characters, got 41',
    ],
    [
      'bcrypt, one more',
      `${hash}a`,
      'bcrypt',
      INVALID,
      'Password hash is in invalid BCrypt format: expected 60 characters, got 61',
    ],
    [
      'bcrypt, a stray character',
      `${hash.slice(0, -1)}!`,
      undefined,
      INVALID,
      'Password hash is in invalid BCrypt format',
    ],
    [
      'bcrypt with a NUL',
      `${hash.slice(0, -1)}\0`.replace('\0', '\0a'),
      undefined,
      INVALID,
      'Password hash is in invalid BCrypt format',
    ],
    ['argon2 cut off', argon.slice(0, 50), undefined, INVALID, 'Password hash is in invalid Argon2 format'],
    [
      'argon2 of no type',
      argon.replace('argon2id', 'argon2x'),
      undefined,
      INVALID,
      'Password hash is in invalid Argon2 format',
    ],
    [
      'scrypt cut off',
      scrypt.slice(0, -9),
      undefined,
      INVALID,
      'Password hash is in invalid External SCrypt format',
    ],
    ['named bcrypt, is argon2', argon, 'bcrypt', INVALID, 'Password hash is in invalid BCrypt format'],
    ['named argon2, is bcrypt', hash, 'argon2', INVALID, 'Password hash is in invalid Argon2 format'],
    [
      'named scrypt, is bcrypt',
      hash,
      'external_scrypt',
      INVALID,
      'Password hash is in invalid External SCrypt format',
    ],
    [
      'bcrypt too dear',
      hash.replace('$04$', '$16$'),
      undefined,
      'PASSWORD_HASH_COST',
      'Password hash cost is not allowed: cost 16 is above the limit of 15 (bcrypt_max_cost)',
    ],
    [
      'argon2 with too many passes',
      argon.replace('t=1', 't=33'),
      undefined,
      'PASSWORD_HASH_COST',
      'Password hash cost is not allowed: t 33 is above the limit of 32 (argon2_max_iterations)',
    ],
    [
      'argon2 with too much memory',
      argon.replace('m=64', 'm=4294967295'),
      undefined,
      'PASSWORD_HASH_COST',
      'Password hash cost is not allowed: m 4294967295 is above the limit of 1048576',
    ],
    [
      'argon2 with too many lanes',
      argon.replace('m=64,p=1', 'm=4096,p=17'),
      undefined,
      'PASSWORD_HASH_COST',
      'Password hash cost is not allowed: p 17 is above the limit of 16',
    ],
    [
      'scrypt too dear',
      scrypt.replace('m=14', 'm=18'),
      'external_scrypt',
      'PASSWORD_HASH_COST',
      'Password hash cost is not allowed: m 18 is above the limit of 17',
    ],
    ['empty algorithm', hash, '', 'HASHING_ALGORITHM_EMPTY', 'Hashing Algorithm cannot be an empty string'],
    [
      'blank algorithm',
      hash,
      ' \t',
      'HASHING_ALGORITHM_EMPTY',
      'Hashing Algorithm cannot be an empty string',
    ],
    [
      'unknown algorithm',
      hash,
      'md5',
      'HASHING_ALGORITHM_UNSUPPORTED',
      'Unsupported password hashing algorithm',
    ],
    [
      'algorithm of a prototype',
      hash,
      'constructor',
      'HASHING_ALGORITHM_UNSUPPORTED',
      'Unsupported password hashing algorithm',
    ],
  ] as const)('is refused: %s', async (_what, passwordHash, algorithm, code, message) => {
    const answer = await importUser('refused@b.c', passwordHash, algorithm);
    expect(answer).toMatchObject(failure(400, code, message));
    expect(await signIn('refused@b.c', BCRYPT.password)).toBe('WRONG_CREDENTIALS_ERROR');
    if (passwordHash.trim().length > 20) expect(answer.text).not.toContain(passwordHash.trim().slice(0, 20));
  });

  it('does not replace the one that is there', async () => {
    await importNew(service, 'kept@b.c');
    expect((await importUser('kept@b.c', hash.slice(0, 59))).status).toBe(400);
    expect(await signIn('kept@b.c', BCRYPT.password)).toBe('OK');
  });

  it('is one of external scrypt where no signer key is configured', async () => {
    const keyless = await createTestApp({ signerKey: '' });
    onTestFinished(() => keyless.close());
    for (const hashingAlgorithm of ['external_scrypt', 'firebase_scrypt', undefined]) {
      const body = { email: 'a@b.c', passwordHash: scrypt, hashingAlgorithm };
      expect(await keyless.send('POST', IMPORT, body)).toMatchObject(
        failure(400, 'SIGNER_KEY_NOT_CONFIGURED', "'external_password_hashing_signer_key' is not configured"),
      );
    }
    expect((await keyless.send('POST', IMPORT, { email: 'a@b.c', passwordHash: hash })).status).toBe(200);
  });
});

describe('an e-mail', () => {
  const at = (length: number) => `${'x'.repeat(length - 4)}@b.c`;

  it.each([
    ['empty', ''],
    ['blank', '  '],
    ['without @', 'a.b.c'],
    ['with nothing before the @', '@b.c'],
    ['with nothing behind the @', 'a@'],
    ['that is only an @', ' @ '],
    ['of 257 characters', at(257)],
    ['with a NUL inside', 'a\0b@b.c'],
  ])('is refused when it is %s', async (_what, email) => {
    expect(await importUser(email, BCRYPT.hash)).toMatchObject(
      failure(400, 'FIELD_INVALID', "Field name 'email' is invalid in JSON input"),
    );
  });

  it.each([
    [' \t\r\nStripped@B.C\u0000\u001f\u0020', 'stripped@b.c'],
    ['ÄÖ@Ü.C', 'äö@ü.c'],
    ['two words@b.c', 'two words@b.c'],
    ['"a@b"@c.d', '"a@b"@c.d'],
    [at(256), at(256)],
    [`${'😀'.repeat(252)}@b.c`, `${'😀'.repeat(252)}@b.c`],
    [`${' '.repeat(300)}padded@b.c`, 'padded@b.c'],
    // Stripped by JavaScript's trim(), not by Java's.
    ['\u00a0nbsp@b.c\u2003', '\u00a0nbsp@b.c\u2003'],
    ['%_\\@b.c', '%_\\@b.c'],
  ])('is kept in its normal form: %j', async (email, normal) => {
    const { status, body } = await importUser(email, BCRYPT.hash);
    expect(status).toBe(200);
    expect(body.user.emails).toEqual([normal]);
    expect(body.user.loginMethods[0].email).toBe(normal);
  });

  it('is one address in any letter case', async () => {
    const { id } = await importNew(service, 'Case@B.C');
    expect((await importUser(' cASE@b.c ', BCRYPT.hash)).body).toMatchObject({
      didUserAlreadyExist: true,
      user: { id },
    });
  });
});

describe('a new user', () => {
  it('has exactly these members', async () => {
    const before = Date.now();
    const { status, body } = await importUser('shape@b.c', BCRYPT.hash);
    const { id, timeJoined } = body.user;
    expect(status).toBe(200);
    expect(id).toMatch(UUID_V7);
    expect(timeJoined).toBeGreaterThanOrEqual(before);
    expect(timeJoined).toBeLessThanOrEqual(Date.now());
    expect(body).toEqual({
      status: 'OK',
      didUserAlreadyExist: false,
      user: {
        id,
        isPrimaryUser: false,
        tenantIds: ['public'],
        timeJoined,
        emails: ['shape@b.c'],
        phoneNumbers: [],
        thirdParty: [],
        webauthn: { credentialIds: [] },
        loginMethods: [
          {
            tenantIds: ['public'],
            recipeUserId: id,
            verified: false,
            timeJoined,
            recipeId: 'emailpassword',
            email: 'shape@b.c',
          },
        ],
      },
    });
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
    expect((await importUser(email, hash, algorithm)).body.status).toBe('OK');
    expect(await signIn(email, password)).toBe('OK');
    expect(await signIn(email, `${password} `)).toBe('WRONG_CREDENTIALS_ERROR');
  });
});

describe('importing an e-mail again', () => {
  it('replaces the hash and nothing else', async () => {
    const user = await importNew(service, 'again@b.c');
    const again = await importUser('again@b.c', OTHER_BCRYPT.hash);
    expect(again.body).toEqual({ status: 'OK', didUserAlreadyExist: true, user });
    expect(await signIn('again@b.c', OTHER_BCRYPT.password)).toBe('OK');
    expect(await signIn('again@b.c', BCRYPT.password)).toBe('WRONG_CREDENTIALS_ERROR');
  });

  it('may change the algorithm', async () => {
    await importNew(service, 'algorithm@b.c');
    expect((await importUser('algorithm@b.c', EXTERNAL_SCRYPT.hash)).body.didUserAlreadyExist).toBe(true);
    expect(await signIn('algorithm@b.c', EXTERNAL_SCRYPT.password)).toBe('OK');
  });

  it('replaces the password of a user who signed up here', async () => {
    const { body } = await service.send('POST', '/recipe/signup', { email: 'up@b.c', password: 'first' });
    expect((await importUser('up@b.c', BCRYPT.hash)).body).toMatchObject({
      didUserAlreadyExist: true,
      user: { id: body.user.id },
    });
    expect(await signIn('up@b.c', 'first')).toBe('WRONG_CREDENTIALS_ERROR');
    expect(await signIn('up@b.c', BCRYPT.password)).toBe('OK');
  });

  it('answers with the whole of a user who has several login methods', async () => {
    const id = '0190a000-0000-7000-8000-000000000001';
    const google = { id: 'google', userId: 'import-linked' };
    await insertLinkedUser(service.database.db, {
      id,
      timeJoinedMs: 1000,
      methods: [
        { recipeUserId: id, email: 'linked@b.c', timeJoinedMs: 2000 },
        {
          recipeUserId: '0190a000-0000-7000-8000-000000000002',
          email: 'other@b.c',
          timeJoinedMs: 1000,
          thirdParty: google,
        },
      ],
    });
    expect((await importUser('linked@b.c', OTHER_BCRYPT.hash)).body).toMatchObject({
      didUserAlreadyExist: true,
      user: {
        id,
        isPrimaryUser: true,
        timeJoined: 1000,
        emails: ['other@b.c', 'linked@b.c'],
        thirdParty: [google],
      },
    });
  });

  it('leaves third-party users with the same e-mail alone', async () => {
    const identity = { id: 'google', userId: 'same-mail' };
    const third = await signInUpNew(service, identity, 'same@b.c');
    const imported = await importNew(service, 'same@b.c');
    expect(imported.id).not.toBe(third.id);
    expect((await importUser('same@b.c', OTHER_BCRYPT.hash)).body.user).toEqual(imported);
    expect((await service.send('GET', `/user/id?userId=${third.id}`)).body.user).toEqual(third);
  });
});

describe('imports at the same time', () => {
  it('of one new e-mail make one user', async () => {
    const second = await createTestApp({ database: service.database });
    onTestFinished(() => second.app.close());
    const before = await countUsers();
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
    expect(await countUsers()).toBe(before + 1);
  });

  it('of many e-mails, some bad, fail each alone', async () => {
    const before = await countUsers();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        importUser(`many-${index}@b.c`, index % 10 === 0 ? 'bad' : BCRYPT.hash),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(
      answers.map((_, index) => (index % 10 === 0 ? 400 : 200)),
    );
    expect(await countUsers()).toBe(before + 90);
  });
});
