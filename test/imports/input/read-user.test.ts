import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { readUser } from '../../../src/imports/input/read-line.ts';
import type { ErrorCode } from '../../../src/lib/errors.ts';
import { createTestApp } from '../../support/app.ts';
import { ARGON2, BCRYPT, EXTERNAL_SCRYPT } from '../../support/example-hashes.ts';
import { IMPORT, withMember } from '../../support/service-calls.ts';
import { readDeps, taken } from '../../support/user-forms.ts';

const SIGN_IN_UP = '/recipe/signinup';
const deps = readDeps();

const service = await createTestApp();
afterAll(() => service.close());

/** Returns what the reader and the single call say of a body. */
async function verdicts(path: string, body: unknown) {
  const text = JSON.stringify(body);
  const read = readUser(deps, JSON.parse(text));
  const answer = await service.send('POST', path, text);
  const { code, message } = answer.body;
  return {
    ofReader: 'code' in read ? { status: 400, code: read.code, message: read.message } : { status: 200 },
    ofCall: answer.status === 200 ? { status: 200 } : { status: answer.status, code, message },
  };
}

const { hash } = BCRYPT;
const [scrypt, argon] = [EXTERNAL_SCRYPT.hash, ARGON2.hash];
const PASSWORD_USER = { email: 'a@b.c', passwordHash: hash, hashingAlgorithm: 'bcrypt' };
const THIRD_PARTY_USER = {
  thirdPartyId: 'google',
  thirdPartyUserId: '1',
  email: { id: 'a@b.c', isVerified: true },
};
const at = (length: number) => `${'x'.repeat(length - 4)}@b.c`;
const NO_TEXT = [null, 0, 12345, true, ['a@b.c'], [], {}, { id: 'a@b.c' }];
const BAD_TEXT = ['\ud800', 'a@b.c\udfff', '\udc00\ud800@b.c'];
const BAD_EMAILS = [
  '',
  '  ',
  'a.b.c',
  '@b.c',
  'a@',
  ' @ ',
  at(257),
  'a\0b@b.c',
  at(1024),
  at(1025),
  at(70_000),
];

type Case = [member: string, value: unknown, code: ErrorCode];
const cases = (member: string, values: readonly unknown[], code: ErrorCode = 'FIELD_INVALID'): Case[] =>
  values.map((value) => [member, value, code]);

describe('the body of a password import', () => {
  it.each<Case>([
    ...cases('email', [undefined, ...NO_TEXT, ...BAD_TEXT, ...BAD_EMAILS]),
    ...cases('passwordHash', [undefined, ...NO_TEXT, ...BAD_TEXT, 'x'.repeat(65_537)]),
    ...cases('passwordHash', ['', ' \t\0'], 'PASSWORD_HASH_EMPTY'),
    ...cases(
      'passwordHash',
      [hash.slice(0, 41), `${hash}a`, argon, 'x', 'x'.repeat(65_536)],
      'PASSWORD_HASH_INVALID',
    ),
    ...cases('passwordHash', [hash.replace('$04$', '$16$')], 'PASSWORD_HASH_COST'),
    ...cases('hashingAlgorithm', [...NO_TEXT, ...BAD_TEXT, 'x'.repeat(65_537)]),
    ...cases('hashingAlgorithm', ['', ' \n'], 'HASHING_ALGORITHM_EMPTY'),
    ...cases('hashingAlgorithm', ['md5', 'constructor', 'x'.repeat(65_536)], 'HASHING_ALGORITHM_UNSUPPORTED'),
    ...cases('hashingAlgorithm', ['argon2', 'external_scrypt'], 'PASSWORD_HASH_INVALID'),
  ])('is refused like the call: %s %j', async (member, value, code) => {
    const { ofReader, ofCall } = await verdicts(IMPORT, withMember(PASSWORD_USER, member, value));
    expect(ofReader).toEqual(ofCall);
    expect(ofReader).toMatchObject({ status: 400, code });
  });

  it.each([
    {},
    { hashingAlgorithm: 7 },
    { email: null, passwordHash: null, hashingAlgorithm: null },
    { passwordHash: '', email: 'x' },
    { email: 'x', passwordHash: '', hashingAlgorithm: 'md5' },
    { email: 'a@b.c', passwordHash: '', hashingAlgorithm: 'md5' },
    { email: 'a@b.c', passwordHash: 'plain' },
    { email: 'a@b.c', passwordHash: argon.replace('t=1', 't=100000') },
    { email: 'a@b.c', passwordHash: scrypt.replace('m=14', 'm=20') },
    JSON.parse(`{"__proto__":${JSON.stringify(PASSWORD_USER)}}`),
  ])('has its first problem reported like the call: %j', async (body) => {
    const { ofReader, ofCall } = await verdicts(IMPORT, body);
    expect(ofReader).toEqual(ofCall);
    expect(ofReader.status).toBe(400);
  });

  it('is refused without a signer key like the call', async () => {
    const keyless = await createTestApp({ signerKey: '' });
    onTestFinished(() => keyless.close());
    const body = { email: 'a@b.c', passwordHash: scrypt };
    const { code, message } = (await keyless.send('POST', IMPORT, body)).body;
    expect(readUser(readDeps(''), body)).toEqual({ code, message });
    expect(code).toBe('SIGNER_KEY_NOT_CONFIGURED');
  });

  it.each([
    PASSWORD_USER,
    { ...PASSWORD_USER, hashingAlgorithm: ' BCrypt\n' },
    { ...PASSWORD_USER, email: at(256) },
    { ...PASSWORD_USER, email: `${'😀'.repeat(252)}@b.c` },
    { ...PASSWORD_USER, email: at(256).padStart(1024) },
    { ...PASSWORD_USER, passwordHash: hash.padEnd(65_536) },
    { ...PASSWORD_USER, hashingAlgorithm: 'bcrypt'.padEnd(65_536) },
    { email: 'a@b.c', passwordHash: argon, unknown: null, thirdParty: 1 },
  ])('is accepted like the call %#', async (body) => {
    expect(await verdicts(IMPORT, body)).toEqual({ ofReader: { status: 200 }, ofCall: { status: 200 } });
  });

  it.each([
    ['bcrypt', hash, undefined],
    ['argon2', argon, 'ARGON2'],
    ['external_scrypt', scrypt, 'firebase_scrypt'],
  ])('is parsed with a hash of %s', (algorithm, passwordHash, hashingAlgorithm) => {
    const body = {
      email: ' A@B.c\n',
      passwordHash: ` ${passwordHash}\r\n`,
      ...(hashingAlgorithm && { hashingAlgorithm }),
    };
    expect(taken(readUser(deps, body))).toEqual({
      profile: {},
      methods: [
        {
          recipeId: 'emailpassword',
          email: 'a@b.c',
          verified: false,
          credential: { hash: { encoded: passwordHash, algorithm } },
        },
      ],
    });
  });
});

describe('the body of a third-party import', () => {
  const identities = [...NO_TEXT, ...BAD_TEXT, '', 'a\0b', '\0', 'x'.repeat(257), '😀'.repeat(257)];

  it.each<Case>([
    ...cases('thirdPartyId', [undefined, ...identities]),
    ...cases('thirdPartyUserId', [undefined, ...identities]),
    ...cases('email', [undefined, null, 0, true, 'a@b.c', [], [{ id: 'a@b.c' }], {}]),
    ...cases('email.id', [undefined, ...NO_TEXT, ...BAD_TEXT, ...BAD_EMAILS]),
    ...cases('email.isVerified', [null, 0, 1, 'true', [true], {}]),
  ])('is refused like the call: %s %j', async (member, value, code) => {
    const { ofReader, ofCall } = await verdicts(SIGN_IN_UP, withMember(THIRD_PARTY_USER, member, value));
    expect(ofReader).toEqual(ofCall);
    expect(ofReader).toMatchObject({ status: 400, code });
  });

  it.each([
    { thirdPartyId: 1 },
    { thirdPartyUserId: '' },
    { thirdPartyId: '', thirdPartyUserId: '', email: {} },
    { thirdPartyId: 'google', thirdPartyUserId: '1', email: { isVerified: 1 } },
    { thirdPartyId: 'google', thirdPartyUserId: '1', email: { id: 'x', isVerified: 1 } },
    { thirdPartyId: 'google', thirdPartyUserId: '1', email: 'a@b.c', passwordHash: hash },
  ])('has its first problem reported like the call: %j', async (body) => {
    const { ofReader, ofCall } = await verdicts(SIGN_IN_UP, body);
    expect(ofReader).toEqual(ofCall);
    expect(ofReader.status).toBe(400);
  });

  it.each([
    THIRD_PARTY_USER,
    { ...THIRD_PARTY_USER, thirdPartyId: '😀'.repeat(256), thirdPartyUserId: 'x'.repeat(256) },
    { ...THIRD_PARTY_USER, passwordHash: null, unknown: [] },
  ])('is accepted like the call %#', async (body) => {
    expect(await verdicts(SIGN_IN_UP, body)).toEqual({ ofReader: { status: 200 }, ofCall: { status: 200 } });
  });

  it.each([
    [{ id: ' A@b.c' }, false],
    [{ id: 'a@b.c', isVerified: false }, false],
    [{ id: 'a@b.c', isVerified: true }, true],
  ])('is parsed: %j', (email, verified) => {
    expect(taken(readUser(deps, { ...THIRD_PARTY_USER, thirdPartyId: ' G', email }))).toEqual({
      profile: {},
      methods: [{ recipeId: 'thirdparty', email: 'a@b.c', verified, identity: { id: ' G', userId: '1' } }],
    });
  });
});

describe('a user in the long form', () => {
  const method = { recipeId: 'emailpassword', email: 'a@b.c', passwordHash: hash };

  it('is recognised, whatever other members there are', () => {
    const form = { email: 7, thirdPartyId: null, externalUserId: 'x', loginMethods: [method] };
    expect(taken(readUser(deps, form))).toMatchObject({
      externalId: 'x',
      methods: [{ email: 'a@b.c' }],
    });
  });

  it.each([
    [
      { ...method, passwordHash: hash.slice(1) },
      'PASSWORD_HASH_INVALID',
      'Password hash is in invalid format: ',
    ],
    [{ ...method, passwordHash: ' ' }, 'PASSWORD_HASH_EMPTY', 'Password hash cannot be an empty string'],
    [
      { ...method, hashingAlgorithm: 'md5' },
      'HASHING_ALGORITHM_UNSUPPORTED',
      'Invalid hashingAlgorithm for ',
    ],
    [{ ...method, email: undefined }, 'FIELD_INVALID', 'email is required for an emailpassword recipe.'],
  ])('keeps the code of its only problem: %j', (only, code, start) => {
    const read = readUser(deps, { loginMethods: [only] });
    expect(read).toEqual({ code, message: expect.stringMatching(new RegExp(`^${start}`)) });
  });

  it('has all its problems reported under one code', () => {
    const loginMethods = [{ ...method, email: undefined, passwordHash: ' ' }];
    expect(readUser(deps, { externalUserId: '', loginMethods })).toEqual({
      code: 'FIELD_INVALID',
      message:
        'externalUserId should be of type string.; email is required for an emailpassword recipe.; Password hash cannot be an empty string',
    });
  });

  it('is recognised by loginMethods of any type', () => {
    const message = 'loginMethods should be of type array of object.';
    const body = { ...PASSWORD_USER, loginMethods: null };
    expect(readUser(deps, body)).toEqual({ code: 'FIELD_INVALID', message });
  });
});

it.each([null, true, 7, 'a@b.c', [], [PASSWORD_USER]])(
  'is refused like the call if it is not an object: %j',
  async (body) => {
    const { ofReader, ofCall } = await verdicts(IMPORT, body);
    expect(ofReader).toEqual(ofCall);
    expect(ofReader).toMatchObject({ code: 'BODY_INVALID_JSON' });
  },
);

it('passes on errors that are not refusals', () => {
  const bug = new TypeError('a bug');
  const broken = readDeps();
  vi.spyOn(broken.registry, 'recognise').mockImplementation(() => {
    throw bug;
  });
  const bodies = [
    { email: 'a@b.c', passwordHash: hash },
    { loginMethods: [{ recipeId: 'emailpassword', email: 'a@b.c', passwordHash: hash }] },
  ];
  for (const body of bodies) expect(() => readUser(broken, body)).toThrow(bug);
});
