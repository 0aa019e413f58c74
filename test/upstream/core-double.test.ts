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

interface Call {
  method: string;
  path: string;
  body?: unknown;
  type?: string;
  headers?: Record<string, string>;
}

type Headers = Record<string, string>;
const get = (path: string, headers: Headers = {}): Call => ({ method: 'GET', path, headers });
const post = (path: string, body: unknown, headers: Headers = {}): Call => ({
  method: 'POST',
  path,
  body,
  headers,
});
const putUser = (body: object, headers: Headers = {}): Call => ({
  ...{ method: 'PUT', path: '/recipe/user' },
  ...{ body, headers },
});
const signIn = (body: object) => post('/recipe/signin', body);
const signUp = (body: object) => post('/recipe/signup', body);
const importUser = (name: string, ...loginMethods: object[]) =>
  post('/bulk-import/import', { externalUserId: id(name), loginMethods });
const remove = (name: string) => post('/user/remove', { userId: id(name), removeAllLinkedAccounts: true });
const ONE = { email: email('one'), password: 'pässwörd' };

/** Calls in their order. Each one depends on those before it. */
const CALLS: [what: string, call: Call][] = [
  ['a greeting', get('/hello')],
  ['a user with a hash', importUser('one', passwordMethod('one'))],
  ['the same user again', importUser('one', passwordMethod('one'))],
  ['a social user', importUser('two', google('two'))],
  ['the same identity again', importUser('2b', google('two'))],
  ['two login methods', importUser('3', passwordMethod('three'), google('three'))],
  ['no login method', post('/bulk-import/import', { externalUserId: id('4') })],
  ['a body that is not JSON', post('/bulk-import/import', '{')],
  ['a wrong password', signIn({ ...ONE, password: 'x' })],
  ['an unknown address', signIn({ email: email('nobody'), password: 'x' })],
  ['a sign-in without a password', signIn({ email: ONE.email })],
  ['a sign-up with a taken address', signUp({ ...ONE, password: 'x' })],
  ['a sign-up without a password', signUp({ email: ONE.email })],
  ['a new password', putUser({ recipeUserId: id('one'), password: ONE.password })],
  ['a sign-in', signIn(ONE)],
  ['a sign-in without a charset', { ...signIn(ONE), type: 'application/json' }],
  ['a password of nobody', putUser({ recipeUserId: id('nobody'), password: 'x' })],
  ['a user by id', get(`/user/id?userId=${id('one')}`)],
  ['an unknown id', get(`/user/id?userId=${id('nobody')}`)],
  ['users by address', get(`/users/by-accountinfo?email=${ONE.email}&doUnionOfAccountInfo=false`)],
  ['a removal', remove('one')],
  ['a removal of nobody', remove('nobody')],
  ['a stage of a broken user', post('/bulk-import/users', { users: [{ externalUserId: id('5') }] })],
  [
    'a stage of a user with two login methods',
    post('/bulk-import/users', {
      users: [
        { externalUserId: id('6'), loginMethods: [google('six')] },
        { externalUserId: id('7'), loginMethods: [passwordMethod('seven'), google('seven')] },
      ],
    }),
  ],
  ['a stage of nobody', post('/bulk-import/users', { users: [] })],
  [
    'a removal of an unknown user from the stage',
    post('/bulk-import/users/remove', { ids: ['00000000-0000-4000-8000-000000000000'] }),
  ],
  ['roles', get('/recipe/roles')],
  ['users in the stage', get('/bulk-import/users?limit=500&status=FAILED')],
  ['the number of users in the stage', get('/bulk-import/users/count?status=NEW')],
];

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
  ...'2.7 2.11 3.0 3.1 4.0 5.0 5.3 5.5 5.6 2.6 3.2 5.7 5.10 6.0 5 05.3 5.3.0 x'.split(' '),
];

const versionOf = (version: string | undefined): Headers =>
  version === undefined ? {} : { 'cdi-version': version };

const APPS = ['', '/appid-public', '/appid-', '/APPID-Public', '/appid-ghost'];
const PREFIXES = APPS.flatMap((app) => ['', '/public', '/PUBLIC', '/ghost'].map((tenant) => app + tenant));

/** Every call of the double but those without a path of their own. They change nobody. */
const ROUTES: Call[] = [
  get('/hello'),
  get('/apiversion'),
  get('/ee/featureflag'),
  get('/recipe/roles'),
  post('/bulk-import/import', {}),
  post('/bulk-import/users', { users: [] }),
  post('/bulk-import/users', {}),
  get('/bulk-import/users?status=PROCESSING'),
  get('/bulk-import/users/count?status=PROCESSING'),
  post('/bulk-import/users/remove', { ids: ['x'] }),
  post('/bulk-import/users/remove', {}),
  signIn({ email: email('nobody'), password: 'x' }),
  signIn({}),
  signUp({ email: email('nobody'), password: '' }),
  post('/recipe/signinup', { thirdPartyId: 'a', thirdPartyUserId: 'b' }),
  putUser({ recipeUserId: id('nobody'), password: 'x' }),
  putUser({ userId: id('nobody'), password: 'x' }),
  putUser({ userId: 'x', recipeUserId: 'x' }),
  putUser({ recipeUserId: 'x', email: 'x' }, { rid: 'emailpassword' }),
  putUser({ recipeUserId: 'x', email: 'x' }, { rid: 'thirdparty' }),
  putUser({ userId: 'x', recipeUserId: 'x', email: 'x' }, { rid: 'passwordless' }),
  post('/recipe/user/password/reset', { method: 'token', token: 'x', newPassword: 'x' }),
  get(`/user/id?userId=${id('nobody')}`),
  get('/user/id'),
  get('/users/by-accountinfo?email=x&doUnionOfAccountInfo=true'),
  get('/users/by-accountinfo?email=x'),
];

/** Ways to write an address. Those that are equal for the core are not equal for all. */
const ADDRESSES = [
  ...'k K \u212a \u212b \u00c5 \u2126 \u03f4 \u0130 I \u0131 \u1e9e \u00df \uff21 \u{10400} \u{1c89} \u{16ea0}'.split(
    ' ',
  ),
  ...'\u03a3 x\u03a3 x\u03a3-x x\u03a3_x x\u03a3:x x-\u03a3 e\u0301 \u00e9'.split(' '),
  ...'\u00a0\u2003\u3000\ufeff\u200b\0\t\n\x1f\x7f\x85 ',
];

/** Ways to write a text in JSON. */
const textsOf = (text: string): unknown[] => {
  const lists = [[text], [[text]], [text, text], [], [5], [null], [{ text }]];
  return [text, ...lists, { text }, 5, true, null];
};

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
    const user = { email: email('x'), password: 'ä' };
    await answerOf(double.url, signUp(user));
    expect((await answerOf(double.url, signIn(user))).body.status).toBe('OK');
    const other = await answerOf(double.url, { ...signIn(user), type: 'application/json' });
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

      it.each(CALLS)('to %s', async (_what, call) => {
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
          const address = `${version}-${name}`;
          const google = { thirdPartyId: 'google', thirdPartyUserId: id(version) };
          const ids = { recipeUserId: id(version), userId: id(version) };
          return [
            signUp({ email: address, password: 'x' }),
            signIn({ email: address, password: 'x' }),
            post('/recipe/signinup', { ...google, email: { id: address, isVerified: true } }),
            post('/recipe/signinup', { ...google, email: { id: `x${address}`, isVerified: false } }),
            get(`/users/by-accountinfo?email=${address}&doUnionOfAccountInfo=false`),
            get(
              `/users/by-accountinfo?email=${address}&thirdPartyId=google&thirdPartyUserId=${id(version)}&doUnionOfAccountInfo=false`,
            ),
            ...(version >= '5'
              ? [importUser(version, { ...passwordMethod('v'), email: `i${address}` })]
              : []),
            get(`/user/id?userId=${id(version)}`),
            putUser({ ...ids, email: `n${address}`, password: 'y' }),
            signIn({ email: `n${address}`, password: 'y' }),
            putUser({ ...ids, email: address }),
            post('/user/remove', { userId: id(version) }),
          ].map((call) => ({ ...call, headers: versionOf(version) }));
        });
        await compare(calls);
      });

      it('to addresses', async () => {
        const sent = ADDRESSES.map((part) => `${part}A${part}-${run}@example.com${part}`);
        await compare([
          ...sent.map((address) => signUp({ email: address, password: 'x' })),
          ...sent.map((address) =>
            get(`/users/by-accountinfo?email=${encodeURIComponent(address)}&doUnionOfAccountInfo=false`),
          ),
          ...sent.map((address, index) =>
            importUser(`address${index}`, { ...passwordMethod('a'), email: address }),
          ),
        ]);
      });

      it('to texts', async () => {
        const user = { email: email('texts'), password: 'x' };
        const third = {
          ...{ thirdPartyId: 'google', thirdPartyUserId: id('t') },
          email: { id: user.email, isVerified: true },
        };
        await compare([
          signUp(user),
          ...textsOf(user.email).flatMap((text) => [
            signIn({ ...user, email: text }),
            signUp({ ...user, email: text }),
            putUser({ recipeUserId: 'x', email: text }),
            post('/recipe/signinup', { ...third, email: text }),
            post('/recipe/signinup', { ...third, email: { id: text, isVerified: true } }),
            post('/bulk-import/import', { loginMethods: [{ ...passwordMethod('texts'), email: text }] }),
          ]),
          ...textsOf(id('x')).flatMap((text) => [
            signIn({ ...user, password: text }),
            putUser({ recipeUserId: text, password: 'x' }),
            putUser({ recipeUserId: 'x', password: text }),
            post('/recipe/signinup', { ...third, thirdPartyId: text }),
            post('/recipe/signinup', { ...third, thirdPartyUserId: text }),
            post('/user/remove', { userId: text }),
          ]),
        ]);
      });

      it('to bodies in other charsets', async () => {
        const user = { email: email('charset'), password: 'pä😀' };
        for (const password of [user.password, Buffer.from(user.password).toString('latin1')])
          await compare([
            signUp({ ...user, password }),
            putUser({ recipeUserId: 'x', password }),
            ...CHARSETS.map((type) => ({ ...signIn(user), type })),
          ]);
      });
    },
  );
});
