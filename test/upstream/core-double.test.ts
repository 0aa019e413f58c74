import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CDI_VERSIONS_OF_CORE, CoreDouble } from '../support/core-double.ts';

const BCRYPT = '$2a$10$KwBCUpZQPBObDVE4SuTLtukI.XMW9g4AU.7xkMPvKPOQckh7hN0J2';
const JSON_TYPE = 'application/json; charset=utf-8';

/** A part of every id and address, so that a run leaves the users of other runs alone. */
const run = Date.now().toString(36);
const id = (name: string) => `${name}-${run}`;
const email = (name: string) => `${name}-${run}@example.com`;
const passwordMethod = (name: string) => ({
  recipeId: 'emailpassword',
  tenantIds: ['public'],
  email: email(name),
  isVerified: true,
  timeJoinedInMSSinceEpoch: 1_600_000_000_000,
  passwordHash: BCRYPT,
  hashingAlgorithm: 'BCRYPT',
});
const google = (name: string) => ({
  recipeId: 'thirdparty',
  email: email(name),
  isVerified: false,
  timeJoinedInMSSinceEpoch: 1_600_000_000_000,
  thirdPartyId: 'google',
  thirdPartyUserId: id(name),
});

/** Calls in their order. Each one depends on those before it. */
const CALLS: [what: string, method: string, path: string, body?: unknown, type?: string][] = [
  ['a greeting', 'GET', '/hello'],
  [
    'a user with a hash',
    'POST',
    '/bulk-import/import',
    { externalUserId: id('one'), loginMethods: [passwordMethod('one')] },
  ],
  [
    'the same user again',
    'POST',
    '/bulk-import/import',
    { externalUserId: id('one'), loginMethods: [passwordMethod('one')] },
  ],
  [
    'a social user',
    'POST',
    '/bulk-import/import',
    { externalUserId: id('two'), loginMethods: [google('two')] },
  ],
  [
    'the same identity again',
    'POST',
    '/bulk-import/import',
    { externalUserId: id('2b'), loginMethods: [google('two')] },
  ],
  [
    'two login methods',
    'POST',
    '/bulk-import/import',
    { externalUserId: id('3'), loginMethods: [passwordMethod('three'), google('three')] },
  ],
  ['no login method', 'POST', '/bulk-import/import', { externalUserId: id('4') }],
  ['a body that is not JSON', 'POST', '/bulk-import/import', '{'],
  ['a wrong password', 'POST', '/recipe/signin', { email: email('one'), password: 'x' }],
  ['an unknown address', 'POST', '/recipe/signin', { email: email('nobody'), password: 'x' }],
  ['a sign-in without a password', 'POST', '/recipe/signin', { email: email('one') }],
  ['a sign-up with a taken address', 'POST', '/recipe/signup', { email: email('one'), password: 'x' }],
  ['a sign-up without a password', 'POST', '/recipe/signup', { email: email('one') }],
  ['a new password', 'PUT', '/recipe/user', { recipeUserId: id('one'), password: 'pässwörd' }],
  ['a sign-in', 'POST', '/recipe/signin', { email: email('one'), password: 'pässwörd' }],
  [
    'a sign-in without a charset',
    'POST',
    '/recipe/signin',
    { email: email('one'), password: 'pässwörd' },
    'application/json',
  ],
  ['a password of nobody', 'PUT', '/recipe/user', { recipeUserId: id('nobody'), password: 'x' }],
  ['a user by id', 'GET', `/user/id?userId=${id('one')}`],
  ['an unknown id', 'GET', `/user/id?userId=${id('nobody')}`],
  ['users by address', 'GET', `/users/by-accountinfo?email=${email('one')}&doUnionOfAccountInfo=false`],
  ['a removal', 'POST', '/user/remove', { userId: id('one'), removeAllLinkedAccounts: true }],
  ['a removal of nobody', 'POST', '/user/remove', { userId: id('nobody'), removeAllLinkedAccounts: true }],
  ['a stage of a broken user', 'POST', '/bulk-import/users', { users: [{ externalUserId: id('5') }] }],
  [
    'a stage of a user with two login methods',
    'POST',
    '/bulk-import/users',
    {
      users: [
        { externalUserId: id('6'), loginMethods: [google('six')] },
        { externalUserId: id('7'), loginMethods: [passwordMethod('seven'), google('seven')] },
      ],
    },
  ],
  ['a stage of nobody', 'POST', '/bulk-import/users', { users: [] }],
  [
    'a removal of an unknown user from the stage',
    'POST',
    '/bulk-import/users/remove',
    { ids: ['00000000-0000-4000-8000-000000000000'] },
  ],
  ['roles', 'GET', '/recipe/roles'],
  ['users in the stage', 'GET', '/bulk-import/users?limit=500&status=FAILED'],
  ['the number of users in the stage', 'GET', '/bulk-import/users/count?status=NEW'],
];

interface Call {
  method: string;
  path: string;
  body?: unknown;
  type?: string;
  headers?: Record<string, string>;
}

async function answerOf(url: string, { method, path, body, type = JSON_TYPE, headers }: Call) {
  const response = await fetch(url + path, {
    method,
    headers: { 'cdi-version': '5.3', ...(body !== undefined && { 'content-type': type }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = (await response.text())
    // Ids that the core makes, and times of now.
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id')
    .replace(/"(timeJoined|asOf)":(?!16)\d+/g, '"$1":0')
    .replace(/"maus":\[[\d,]*\]/, '"maus":[]');
  const isJson = text.startsWith('{');
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    body: isJson ? JSON.parse(text) : text,
  };
}

/** A call without a version has the newest one that the core speaks. */
const VERSIONS = [
  undefined,
  '2.7',
  '2.11',
  '3.0',
  '3.1',
  '4.0',
  '5.0',
  '5.3',
  '5.5',
  '5.6',
  '2.6',
  '3.2',
  '5.7',
  '5.10',
  '6.0',
  '5',
  '05.3',
  '5.3.0',
  'x',
];

const versionOf = (version: string | undefined): Record<string, string> =>
  version === undefined ? {} : { 'cdi-version': version };

const PREFIXES = [
  '',
  '/public',
  '/appid-public',
  '/appid-',
  '/appid-/public',
  '/appid-public/public',
  '/APPID-Public/PUBLIC',
  '/ghost',
  '/appid-/ghost',
  '/appid-public/ghost',
  '/appid-ghost',
  '/appid-ghost/public',
  '/appid-ghost/ghost',
];

/** Every call of the double but those without a path of their own. They change nobody. */
const ROUTES: Call[] = [
  { method: 'GET', path: '/hello' },
  { method: 'GET', path: '/apiversion' },
  { method: 'GET', path: '/ee/featureflag' },
  { method: 'GET', path: '/recipe/roles' },
  { method: 'POST', path: '/bulk-import/import', body: {} },
  { method: 'POST', path: '/bulk-import/users', body: { users: [] } },
  { method: 'POST', path: '/bulk-import/users', body: {} },
  { method: 'GET', path: '/bulk-import/users?status=PROCESSING' },
  { method: 'GET', path: '/bulk-import/users/count?status=PROCESSING' },
  { method: 'POST', path: '/bulk-import/users/remove', body: { ids: ['x'] } },
  { method: 'POST', path: '/bulk-import/users/remove', body: {} },
  { method: 'POST', path: '/recipe/signin', body: { email: email('nobody'), password: 'x' } },
  { method: 'POST', path: '/recipe/signin', body: {} },
  { method: 'POST', path: '/recipe/signup', body: { email: email('nobody'), password: '' } },
  { method: 'POST', path: '/recipe/signinup', body: { thirdPartyId: 'a', thirdPartyUserId: 'b' } },
  { method: 'PUT', path: '/recipe/user', body: { recipeUserId: id('nobody'), password: 'x' } },
  { method: 'PUT', path: '/recipe/user', body: { userId: id('nobody'), password: 'x' } },
  { method: 'PUT', path: '/recipe/user', body: { userId: 'x', recipeUserId: 'x' } },
  {
    method: 'PUT',
    path: '/recipe/user',
    body: { recipeUserId: 'x', email: 'x' },
    headers: { rid: 'emailpassword' },
  },
  {
    method: 'PUT',
    path: '/recipe/user',
    body: { recipeUserId: 'x', email: 'x' },
    headers: { rid: 'thirdparty' },
  },
  {
    method: 'PUT',
    path: '/recipe/user',
    body: { userId: 'x', recipeUserId: 'x', email: 'x' },
    headers: { rid: 'passwordless' },
  },
  {
    method: 'POST',
    path: '/recipe/user/password/reset',
    body: { method: 'token', token: 'x', newPassword: 'x' },
  },
  { method: 'GET', path: `/user/id?userId=${id('nobody')}` },
  { method: 'GET', path: '/user/id' },
  { method: 'GET', path: '/users/by-accountinfo?email=x&doUnionOfAccountInfo=true' },
  { method: 'GET', path: '/users/by-accountinfo?email=x' },
];

/** Ways to write an address. Those that are equal for the core are not equal for all. */
const ADDRESSES = [
  'k',
  'K',
  '\u212a',
  '\u212b',
  '\u00c5',
  '\u2126',
  '\u03f4',
  '\u0130',
  'I',
  '\u0131',
  '\u1e9e',
  '\u00df',
  '\uff21',
  '\u{10400}',
  '\u{1c89}',
  '\u{16ea0}',
  '\u03a3',
  'x\u03a3',
  'x\u03a3-x',
  'x\u03a3_x',
  'x\u03a3:x',
  'x-\u03a3',
  '\u00a0',
  '\u2003',
  '\u3000',
  '\ufeff',
  '\u200b',
  '\0',
  '\t',
  '\n',
  '\x1f',
  '\x7f',
  '\x85',
  ' ',
  'e\u0301',
  '\u00e9',
];

/** Ways to write a text in JSON. */
const textsOf = (text: string): unknown[] => [
  text,
  [text],
  [[text]],
  [text, text],
  [],
  [5],
  [null],
  [{ text }],
  { text },
  5,
  true,
  null,
];

const CHARSETS = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  'application/json; charset="utf-8"',
  'application/json; charset=utf8',
  'application/json; Charset=utf-8',
  'application/json; CHARSET=utf-8',
  'application/json; charset = utf-8',
  'application/json; xcharset=utf-8',
  'application/json; charset=iso-8859-1',
  'application/json; charset=us-ascii',
  'application/json; charset=utf-8; charset=iso-8859-1',
  'application/json; charset=iso-8859-1; charset=utf-8',
  'application/json; charset=',
  'text/plain; charset=utf-8',
  'charset=utf-8',
];

describe('the double of a core', () => {
  let double: CoreDouble;
  beforeAll(async () => {
    double = await CoreDouble.start();
  });
  afterAll(() => double.close());

  it('reads a body without a charset as ISO 8859-1', async () => {
    const signIn = { method: 'POST', path: '/recipe/signin', body: { email: email('x'), password: 'ä' } };
    await answerOf(double.url, { ...signIn, path: '/recipe/signup' });
    expect((await answerOf(double.url, signIn)).body.status).toBe('OK');
    const other = await answerOf(double.url, { ...signIn, type: 'application/json' });
    expect(other.body.status).toBe('WRONG_CREDENTIALS_ERROR');
  });

  const genuine = process.env.TEST_SUPERTOKENS_CORE_URL ?? '';
  describe.skipIf(genuine === '')(
    `answers as a genuine core${genuine === '' ? ' (TEST_SUPERTOKENS_CORE_URL is not set)' : ''}`,
    { timeout: 120_000 },
    () => {
      /** Sends calls to both, one after the other, and compares what they answer. */
      async function compare(calls: Call[]): Promise<void> {
        const differences: object[] = [];
        for (const call of calls) {
          const [here, there] = [await answerOf(double.url, call), await answerOf(genuine, call)];
          if (!isDeepStrictEqual(here, there)) differences.push({ call, here, there });
        }
        expect(differences).toEqual([]);
      }

      it.each(CALLS)('to %s', async (_what, method, path, body, type) => {
        const call = { method, path, body, ...(type !== undefined && { type }) };
        expect(await answerOf(double.url, call)).toEqual(await answerOf(genuine, call));
      });

      it.each(VERSIONS)('under CDI %s, in every tenant and app, to every call', async (version) => {
        await compare(
          PREFIXES.flatMap((prefix) =>
            ROUTES.map((call) => ({
              ...call,
              path: prefix + call.path,
              headers: { ...call.headers, ...versionOf(version) },
            })),
          ),
        );
      });

      it('about a user, under every version', async () => {
        const name = email('versions');
        const calls = CDI_VERSIONS_OF_CORE.flatMap((version) => {
          const call = (method: string, path: string, body?: object): Call => ({
            method,
            path,
            ...(body && { body }),
            headers: versionOf(version),
          });
          const address = `${version}-${name}`;
          return [
            call('POST', '/recipe/signup', { email: address, password: 'x' }),
            call('POST', '/recipe/signin', { email: address, password: 'x' }),
            call('POST', '/recipe/signinup', {
              thirdPartyId: 'google',
              thirdPartyUserId: id(version),
              email: { id: address, isVerified: true },
            }),
            call('POST', '/recipe/signinup', {
              thirdPartyId: 'google',
              thirdPartyUserId: id(version),
              email: { id: `x${address}`, isVerified: false },
            }),
            call('GET', `/users/by-accountinfo?email=${address}&doUnionOfAccountInfo=false`),
            call(
              'GET',
              `/users/by-accountinfo?email=${address}&thirdPartyId=google&thirdPartyUserId=${id(version)}&doUnionOfAccountInfo=false`,
            ),
            ...(version >= '5'
              ? [
                  call('POST', '/bulk-import/import', {
                    externalUserId: id(version),
                    loginMethods: [{ ...passwordMethod('v'), email: `i${address}` }],
                  }),
                ]
              : []),
            call('GET', `/user/id?userId=${id(version)}`),
            call('PUT', '/recipe/user', {
              recipeUserId: id(version),
              userId: id(version),
              email: `n${address}`,
              password: 'y',
            }),
            call('POST', '/recipe/signin', { email: `n${address}`, password: 'y' }),
            call('PUT', '/recipe/user', { recipeUserId: id(version), userId: id(version), email: address }),
            call('POST', '/user/remove', { userId: id(version) }),
          ];
        });
        await compare(calls);
      });

      it('to addresses', async () => {
        const sent = ADDRESSES.map((part) => `${part}A${part}-${run}@example.com${part}`);
        await compare([
          ...sent.map((address) => ({
            method: 'POST',
            path: '/recipe/signup',
            body: { email: address, password: 'x' },
          })),
          ...sent.map((address) => ({
            method: 'GET',
            path: `/users/by-accountinfo?email=${encodeURIComponent(address)}&doUnionOfAccountInfo=false`,
          })),
          ...sent.map((address, index) => ({
            method: 'POST',
            path: '/bulk-import/import',
            body: {
              externalUserId: id(`address${index}`),
              loginMethods: [{ ...passwordMethod('a'), email: address }],
            },
          })),
        ]);
      });

      it('to texts', async () => {
        const user = { email: email('texts'), password: 'x' };
        const third = {
          thirdPartyId: 'google',
          thirdPartyUserId: id('t'),
          email: { id: user.email, isVerified: true },
        };
        const post = (path: string, body: object): Call => ({ method: 'POST', path, body });
        await compare([
          post('/recipe/signup', user),
          ...textsOf(user.email).flatMap((text) => [
            post('/recipe/signin', { ...user, email: text }),
            post('/recipe/signup', { ...user, email: text }),
            { method: 'PUT', path: '/recipe/user', body: { recipeUserId: 'x', email: text } },
            post('/recipe/signinup', { ...third, email: text }),
            post('/recipe/signinup', { ...third, email: { id: text, isVerified: true } }),
            post('/bulk-import/import', { loginMethods: [{ ...passwordMethod('texts'), email: text }] }),
          ]),
          ...textsOf(id('x')).flatMap((text) => [
            post('/recipe/signin', { ...user, password: text }),
            { method: 'PUT', path: '/recipe/user', body: { recipeUserId: text, password: 'x' } },
            { method: 'PUT', path: '/recipe/user', body: { recipeUserId: 'x', password: text } },
            post('/recipe/signinup', { ...third, thirdPartyId: text }),
            post('/recipe/signinup', { ...third, thirdPartyUserId: text }),
            post('/user/remove', { userId: text }),
          ]),
        ]);
      });

      it('to bodies in other charsets', async () => {
        const signIn = { method: 'POST', path: '/recipe/signin' };
        const named = (password: string) => ({ email: email('charset'), password });
        const body = named('pä😀');
        for (const password of [body.password, Buffer.from(body.password).toString('latin1')])
          await compare([
            { ...signIn, path: '/recipe/signup', body: named(password) },
            {
              method: 'PUT',
              path: '/recipe/user',
              body: { recipeUserId: 'x', password },
            },
            ...CHARSETS.map((type) => ({ ...signIn, body, type })),
          ]);
      });
    },
  );
});
