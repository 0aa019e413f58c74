import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CoreDouble } from '../support/core-double.ts';

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

async function answerOf(url: string, [, method, path, body, type = JSON_TYPE]: (typeof CALLS)[number]) {
  const response = await fetch(url + path, {
    method,
    headers: { 'cdi-version': '5.3', ...(body !== undefined && { 'content-type': type }) },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = text.startsWith('{');
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    body: isJson ? JSON.parse(text) : text,
  };
}

describe('the double of a core', () => {
  let double: CoreDouble;
  beforeAll(async () => {
    double = await CoreDouble.start();
  });
  afterAll(() => double.close());

  it('reads a body without a charset as ISO 8859-1', async () => {
    await answerOf(double.url, [
      '',
      'POST',
      '/bulk-import/import',
      { externalUserId: 'x', loginMethods: [passwordMethod('x')] },
    ]);
    await answerOf(double.url, ['', 'PUT', '/recipe/user', { recipeUserId: 'x', password: 'ä' }]);
    const signIn = { email: email('x'), password: 'ä' };
    expect((await answerOf(double.url, ['', 'POST', '/recipe/signin', signIn])).body.status).toBe('OK');
    const other = await answerOf(double.url, ['', 'POST', '/recipe/signin', signIn, 'application/json']);
    expect(other.body.status).toBe('WRONG_CREDENTIALS_ERROR');
  });

  const genuine = process.env.TEST_SUPERTOKENS_CORE_URL;
  describe.skipIf(genuine === undefined)(
    `answers as a genuine core${genuine === undefined ? ' (TEST_SUPERTOKENS_CORE_URL is not set)' : ''}`,
    () => {
      it.each(CALLS)('to %s', async (...call) => {
        expect(await answerOf(double.url, call)).toEqual(await answerOf(genuine ?? '', call));
      });
    },
  );
});
