import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/sources/containers/table.ts';
import { django } from '../../../src/sources/systems/django.ts';
import {
  adviceOf,
  familyOf,
  formNamed,
  formsOf,
  headOf,
  jsonTablesOf,
  readTables,
  type TestTable,
  tableOf,
} from './read-users.ts';

const fixtures = formNamed(django, 'django-dumpdata');

const HEX = 'a2661876b00d3757b2891cbd129cfb82';
const BCRYPT = '$2b$04$tpDMOHO03U2RcAv.FsdV4uP9h2UxN64TPdLzFyY9/rzLWffB4PR7K';

describe('passwords', () => {
  const passwordOf = (password: unknown) =>
    readTables(fixtures, [tableOf('json', [{ ...FIELDS, pk: 1, password }], { name: 'auth.user' })]).users[0]
      ?.password;

  it.each([
    ['pbkdf2_sha256$1000$salt$bG6Ddt0LDcpZ3LInvL1bVOXnOhGQtFRpiVO64fjdzA8=', 'django-pbkdf2'],
    ['argon2$argon2id$v=19$m=1024,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2g', 'django-argon2'],
    [`bcrypt$${BCRYPT}`, 'django-bcrypt'],
    [`bcrypt_sha256$${BCRYPT}`, 'django-bcrypt-sha256'],
    ['scrypt$16384$salt$8$1$aGFzaGhhc2g=', 'django-scrypt'],
    [`md5$salt$${HEX}`, 'django-salted-md5'],
    [`sha1$salt$${HEX}00000000`, 'django-salted-sha1'],
    [`md5$$${HEX}`, 'django-unsalted-md5'],
    [HEX, 'django-unsalted-md5'],
    [`sha1$$${HEX}00000000`, 'django-unsalted-sha1'],
    ['crypt$$abJnggxhB/yWI', 'django-crypt'],
    ['constructor$x', undefined],
    ['own hasher', undefined],
  ])('%s', (encoded, family) => {
    expect(familyOf(passwordOf(encoded))).toBe(family);
  });

  it.each([null, '', '!', '!RAY514Ldr9xZblWf2FecAxVfuXQLgwQgCL5EPMyL'])('%j is no password', (encoded) => {
    expect(passwordOf(encoded)).toBeUndefined();
  });
});

const FIELDS = { password: 'md5$a$b', last_login: null, username: 'ada', email: 'ada@b.c' };
const account = (user: unknown, changes: object = {}) => ({
  model: 'socialaccount.socialaccount',
  pk: 1,
  fields: {
    user,
    provider: 'google',
    uid: '117',
    date_joined: 'x',
    extra_data: '{"email":"x@y.z","verified_email":true}',
    ...changes,
  },
});
const address = (user: unknown, email: string, verified: boolean, primary: boolean) => ({
  model: 'account.emailaddress',
  pk: 1,
  fields: { user, email, verified, primary },
});

it('joins the tables of allauth to a custom user model', async () => {
  const tables = await jsonTablesOf([
    { model: 'sessions.session', pk: 'x', fields: { session_data: 'y' } },
    address(7, 'other@b.c', false, false),
    address(7, 'ADA@b.c', true, true),
    { model: 'people.member', pk: 7, fields: { ...FIELDS, groups: [1] } },
    account(7),
    account(7, { provider: 'openid_connect', extra_data: { email: 'z@z.z' } }),
    account(7, { uid: '' }),
  ]);
  expect(tables.map(({ head }) => formsOf(django, head))).toEqual([[], [], ['django-dumpdata'], []]);
  const { users, dropped } = readTables(fixtures, tables);
  expect(users).toMatchObject([
    {
      externalUserId: '7',
      email: 'ada@b.c',
      emails: ['ada@b.c', 'other@b.c'],
      isVerified: true,
      timeJoinedMs: undefined,
      password: { encoded: 'md5$a$b' },
      identities: [
        { provider: 'google', userId: '117', email: 'x@y.z', isVerified: true, isSso: false },
        { provider: 'openid_connect', userId: '117', email: 'z@z.z', isSso: true },
      ],
      metadata: { username: 'ada' },
      state: undefined,
    },
  ]);
  expect(dropped).toEqual({ roles: 1, 'identities without an id': 1 });
});

it('joins natural keys, and gives advice about missing ids', async () => {
  const tables = await jsonTablesOf([
    { model: 'auth.user', fields: { ...FIELDS, email: '' } },
    account(['ada']),
    address(['ada'], 'ada@b.c', true, true),
  ]);
  const [{ head } = { head: headOf([]) }] = tables;
  expect(formsOf(django, head)).toEqual(['django-dumpdata']);
  expect(readTables(fixtures, tables).users[0]).toMatchObject({
    externalUserId: undefined,
    email: 'ada@b.c',
    isVerified: true,
    identities: [{ provider: 'google', userId: '117' }],
  });
  expect(adviceOf(fixtures, head)[0]?.text).toContain('--natural-primary');
});

it.each([
  [
    'sql',
    'django-sql',
    'public.auth_user',
    'public.socialaccount_socialaccount',
    'public.account_emailaddress',
  ],
  ['csv', 'django-csv', '', '', ''],
] as const)('joins tables in %s', (container, form, users, accounts, addresses) => {
  const table = (name: string, records: SourceRecord[]): TestTable => ({
    head: headOf(records, { container, name }),
    records,
  });
  const user = {
    ...FIELDS,
    id: '7',
    is_superuser: 'f',
    is_active: 'f',
    date_joined: '2017-12-16 19:51:21+00',
  };
  const tables = [
    table(addresses, [{ id: '1', user_id: '7', email: 'ada@b.c', verified: 't', primary: 't' }]),
    table(users, [user]),
    table(accounts, [
      { id: '1', user_id: '7', provider: 'github', uid: '5', extra_data: '{}', date_joined: 'x' },
    ]),
  ];
  expect(tables.map(({ head }) => formsOf(django, head))).toEqual([[], [form], []]);
  expect(readTables(formNamed(django, form), tables).users[0]).toMatchObject({
    externalUserId: '7',
    isVerified: true,
    state: 'DISABLED',
    identities: [{ provider: 'github', userId: '5' }],
  });
});

it.each([
  ['google-oauth2', '1043', { provider: 'google', userId: '1043' }],
  ['google-oauth2', 'ada@b.c', undefined],
  ['azuread-oauth2', 'ada@b.c', undefined],
  ['github', '555', { provider: 'github', userId: '555' }],
  ['apple-id', '001.a', { provider: 'apple', userId: '001.a' }],
  ['saml', 'idp:5', { provider: 'saml', userId: 'idp:5', isSso: true }],
])('python-social-auth: %s %s', (provider, uid, identity) => {
  const social = { id: '1', user_id: '7', provider, uid, extra_data: '{"access_token":"x"}', created: 'x' };
  const { users, dropped } = readTables(formNamed(django, 'django-sql'), [
    tableOf('sql', [{ ...FIELDS, id: '7', is_superuser: 'f' }], { name: 'auth_user' }),
    tableOf('sql', [social], { name: 'social_auth_usersocialauth' }),
  ]);
  expect(users).toMatchObject([{ identities: identity === undefined ? [] : [identity] }]);
  expect(dropped).toEqual(identity === undefined ? { 'identities without an id': 1 } : {});
  expect(JSON.stringify(users)).not.toContain('access_token');
});

it('never joins by a value that users choose for another purpose', () => {
  const mallory = { ...FIELDS, pk: 1, username: 'mallory', email: 'ada' };
  const { users } = readTables(fixtures, [
    tableOf('json', [mallory, { ...FIELDS, pk: 2 }], { name: 'auth.user' }),
    tableOf('json', [{ pk: 1, user: ['ada'], email: 'ada@b.c', verified: true, primary: true }], {
      name: 'account.emailaddress',
    }),
  ]);
  expect(users.map(({ isVerified }) => isVerified)).toEqual([undefined, true]);
});

it('rejects tables of other systems', () => {
  const ghost = { id: '1', password: '$2a$', last_login: 'x', slug: 'ada', email: 'a@b.c' };
  expect(formsOf(django, headOf([ghost], { name: 'data.users' }))).toEqual([]);
  expect(formsOf(django, headOf([FIELDS], { name: 'users' }))).toEqual([]);
  expect(formsOf(django, headOf([FIELDS], { container: 'sql', name: 'users' }))).toEqual([]);
});

it('uses a user name as address only on request', () => {
  const record = { pk: 1, ...FIELDS, username: 'ada@b.c', email: '' };
  const table = { head: headOf([record], { name: 'auth.user' }), records: [record] };
  expect(readTables(fixtures, [table]).users[0]?.email).toBeUndefined();
  expect(readTables(fixtures, [table], { settings: { usernameIsEmail: 'yes' } }).users[0]?.email).toBe(
    'ada@b.c',
  );
});

it('gives advice what else to export', () => {
  const head = headOf([{ pk: 1, ...FIELDS }], { name: 'auth.user' });
  expect(adviceOf(fixtures, head).map(({ level }) => level)).toEqual(['note']);
  const social = headOf([{ user: 1, provider: 'facebook', uid: '1', extra_data: {}, date_joined: 'x' }], {
    name: 'socialaccount.socialaccount',
  });
  expect(fixtures.advice?.({ tables: [head, social], settings: {} })).toEqual([]);
});
