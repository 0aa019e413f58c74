import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../../src/sources/containers/table.ts';
import { django } from '../../../../src/sources/systems/django/django.ts';
import { passwordOf } from '../../../../src/sources/systems/django/password.ts';
import {
  adviceOf,
  formNamed,
  formsOf,
  headOf,
  jsonTablesOf,
  readTables,
  type TestTable,
} from '../read-users.ts';

const fixtures = formNamed(django, 'django-dumpdata');

describe('passwords', () => {
  it.each([
    ['pbkdf2_sha256$1000$salt$hash', 'django-pbkdf2'],
    ['pbkdf2_sha1$1000$salt$hash', 'django-pbkdf2'],
    ['argon2$argon2id$v=19$', 'django-argon2'],
    ['bcrypt$$2b$12$', 'django-bcrypt'],
    ['bcrypt_sha256$$2b$12$', 'django-bcrypt-sha256'],
    ['scrypt$16384$salt$8$1$hash', 'django-scrypt'],
    ['md5$salt$hash', 'django-salted-md5'],
    ['sha1$salt$hash', 'django-salted-sha1'],
    ['md5$$a2661876b00d3757b2891cbd129cfb82', 'django-unsalted-md5'],
    ['a2661876b00d3757b2891cbd129cfb82', 'django-unsalted-md5'],
    ['sha1$$hash', 'django-unsalted-sha1'],
    ['crypt$$ab1', 'django-crypt'],
    ['$2b$12$own', undefined],
    ['constructor$x', undefined],
    ['own hasher', undefined],
  ])('%s', (encoded, algorithm) => {
    expect(passwordOf(encoded)).toEqual({ encoded, ...(algorithm !== undefined && { algorithm }) });
  });

  it.each([undefined, '!', '!RAY514Ldr9xZblWf2FecAxVfuXQLgwQgCL5EPMyL'])('%j is no password', (encoded) => {
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
  expect(users).toEqual([
    {
      externalUserId: '7',
      email: 'ada@b.c',
      emails: ['ada@b.c', 'other@b.c'],
      isVerified: true,
      timeJoinedMs: undefined,
      password: { encoded: 'md5$a$b', algorithm: 'django-salted-md5' },
      identities: [
        { provider: 'google', userId: '117', email: 'x@y.z', isVerified: true, isSso: false },
        { provider: 'openid_connect', userId: '117', email: 'z@z.z', isVerified: undefined, isSso: true },
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

it('does not use e-mails as ids of accounts', () => {
  const other = {
    id: '1',
    user_id: '7',
    provider: 'google-oauth2',
    uid: 'ada@b.c',
    extra_data: '{}',
    created: 'x',
  };
  const head = headOf([other], { container: 'sql', name: 'social_auth_usersocialauth' });
  expect(fixtures.details?.accounts?.fits(head)).toBe(false);
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
  const other = headOf([{ pk: 1, ...FIELDS }], { name: 'people.member' });
  const said = fixtures.advice?.({ tables: [head, other, social], settings: {} }) ?? [];
  expect(said.map(({ text }) => text.slice(0, 24))).toEqual(['There are several tables']);
});
