import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { casdoor, passwordOf } from '../../../src/sources/systems/casdoor.ts';
import { acceptedHash, formsOf, jsonTablesOf, readOne, readUsers, tableOf } from './read-users.ts';

const ADA = {
  owner: 'shop',
  name: 'ada',
  id: 'u1',
  email: 'ada@example.com',
  password: `$2a$04$${'a'.repeat(53)}`,
  password_type: 'bcrypt',
  password_salt: 's',
  is_forbidden: 'f',
  is_deleted: 'f',
  signup_application: 'app',
};
const usersOf = (...records: object[]) =>
  tableOf(
    'sql',
    records.map((record) => ({ ...ADA, ...record })),
    { name: 'public.user' },
  );
const organizationOf = (record: object) =>
  tableOf(
    'sql',
    [
      {
        owner: 'admin',
        name: 'shop',
        password_type: 'salt',
        password_salt: 'pepper',
        master_password: 'm',
        ...record,
      },
    ],
    { name: 'public.organization' },
  );
const readWith = (record: object, organization: object) =>
  readUsers(casdoor, [usersOf(record), organizationOf(organization)]).users[0];

it.each([
  [{}, undefined],
  [{ is_forbidden: null, is_deleted: null }, undefined],
  [{ is_forbidden: 't' }, 'DISABLED'],
  [{ is_forbidden: 'suspended' }, { column: 'is_forbidden', word: 'suspended' }],
  [{ is_deleted: 't', is_forbidden: 't' }, 'DELETED'],
  [{ is_deleted: 'archived' }, { column: 'is_deleted', word: 'archived' }],
  [{ tag: 'guest-user' }, 'ANONYMOUS'],
])('%j has the state %s', (record, state) => {
  expect(readOne(casdoor, usersOf(record)).state).toEqual(state);
});

it('refuses users of an organisation that disables sign-in', () => {
  expect(readWith({}, { disable_signin: 't' })?.state).toBe('DISABLED');
  expect(readWith({}, { disable_signin: 'f' })?.state).toBeUndefined();
  // The user's organisation is not there.
  expect(readWith({}, { disable_signin: 'f', name: 'other' })?.state).toBe('DISABLED');
});

it('uses the organisations and links of an export', async () => {
  const user = {
    owner: 'shop',
    name: 'ada',
    id: 'u1',
    passwordType: '',
    isForbidden: false,
    signupApplication: 'a',
  };
  const shop = {
    name: 'shop',
    passwordType: 'plain',
    passwordSalt: '',
    masterPassword: '',
    disableSignin: true,
  };
  const link = { owner: 'shop', userName: 'ada', providerName: 'corp', providerId: 'c1' };
  const tables = await jsonTablesOf({
    organizations: [shop],
    users: [{ ...user, password: 'x' }],
    third_party_links: [link],
  });
  expect(readUsers(casdoor, tables).users).toEqual([
    expect.objectContaining({
      state: 'DISABLED',
      password: { plainText: 'x' },
      identities: [{ provider: 'corp', userId: 'c1' }],
    }),
  ]);
});

it('takes password type and salt from the organisation if the user has none', () => {
  const hash = createHash('sha256').update(`${createHash('sha256').update('secret').digest('hex')}pepper`);
  const password = hash.digest('hex');
  const read = readWith({ password, password_type: '', password_salt: '' }, {})?.password;
  expect(read).toEqual(passwordOf({ encoded: password, type: 'salt', salt: 'pepper' }));
  expect(readOne(casdoor, usersOf({ password, password_type: '' })).password).toMatchObject({
    problem: 'HASH_ALGORITHM_UNKNOWN',
  });
});

describe('a password', () => {
  const digest = (name: string, text: string) => createHash(name).update(text).digest('hex');

  it.each([
    ['salt', 's', digest('sha256', 'x'), 'xenforo-sha256'],
    ['salt', undefined, digest('sha256', 'x'), 'hex-sha256'],
    ['md5-salt', 's', digest('md5', 'x'), 'vbulletin'],
    ['md5-salt', undefined, digest('md5', 'x'), 'hex-md5'],
    ['sha512-salt', 's', digest('sha512', 'x'), 'casdoor-sha512'],
    ['sha512-salt', undefined, digest('sha512', 'x'), 'hex-sha512'],
    ['pbkdf2-salt', 'c2FsdA==', Buffer.alloc(64).toString('base64'), 'pbkdf2'],
    ['pbkdf2-django', 's', `pbkdf2_sha256$260000$s$${Buffer.alloc(32).toString('base64')}`, 'django-pbkdf2'],
  ])('of type %s with the salt %s is read as a family', (type, salt, encoded, family) => {
    expect(acceptedHash(passwordOf({ encoded, type, salt })).algorithm).toBe(family);
  });

  it.each([
    ['scrypt', 's', 'x', 'HASH_ALGORITHM_UNSUPPORTED'],
    ['sha512-salt', 's', 'no digits', 'PASSWORD_HASH_INVALID'],
    ['constructor', 's', 'x', 'HASH_ALGORITHM_UNSUPPORTED'],
    ['salt', 's', 'no digits', 'PASSWORD_HASH_INVALID'],
    ['bcrypt', 's', '***', 'HASH_REDACTED'],
  ])('of type %s with the salt %s is unusable', (type, salt, encoded, problem) => {
    expect(passwordOf({ encoded, type, salt })).toMatchObject({ problem });
  });

  it('may be plain text, but a user of a directory has none', () => {
    expect(passwordOf({ encoded: 'x', type: 'plain', salt: undefined })).toEqual({ plainText: 'x' });
    const user = readOne(casdoor, usersOf({ ldap: 'uuid-1' }));
    expect(user.password).toBeUndefined();
    expect(user.identities).toEqual([{ provider: 'ldap', userId: 'uuid-1', isSso: true }]);
  });

  it('uses the part of a salt that Casdoor can read as base64', () => {
    const saltOf = (salt: string) =>
      (passwordOf({ encoded: 'AA==', type: 'pbkdf2-salt', salt }) as { encoded: string }).encoded.split(
        '$',
      )[3];
    expect(saltOf('c2FsdA==')).toBe('c2FsdA');
    expect(saltOf('c2FsdHh')).toBe('c2Fs');
    expect(saltOf('-')).toBe('');
  });
});

it('reads accounts from columns and from the table of links, with their own addresses', () => {
  const properties = '{"oauth_GitHub_email":"ada@github.example","oauth_GitHub_accessToken":"gho_1"}';
  const linkTable = tableOf(
    'sql',
    [{ owner: 'shop', user_name: 'ada', provider_name: 'corp', provider_id: 'c1' }],
    { name: 'third_party_link' },
  );
  const [user] = readUsers(casdoor, [usersOf({ github: '42', google: '', properties }), linkTable]).users;
  expect(user?.identities).toEqual([
    { provider: 'github', userId: '42', email: 'ada@github.example' },
    { provider: 'corp', userId: 'c1' },
  ]);
  expect(JSON.stringify(user)).not.toContain('gho_1');
});

it.each([
  { totp_secret: 'JBSW' },
  { preferred_mfa_type: 'app' },
  { mfa_phone_enabled: 't' },
  { mfa_email_enabled: '1' },
  { webauthnCredentials: `\\x${Buffer.from('[{"id":"x"}]').toString('hex')}` },
])('counts the second factor of %j', (record) => {
  expect(readUsers(casdoor, [usersOf(record)]).dropped).toEqual({ mfa: 1 });
  const none = { totp_secret: '', mfa_phone_enabled: 'f', webauthnCredentials: '\\x6e756c6c' };
  expect(readUsers(casdoor, [usersOf(none)]).dropped).toEqual({});
});

it('imports one organisation if it is named', () => {
  const users = usersOf({}, { owner: 'built-in', name: 'admin' });
  const read = readUsers(casdoor, [users], { settings: { realm: 'shop' } });
  expect(read.users).toHaveLength(1);
  expect(read.dropped).toEqual({ 'other tenants': 1 });
});

it('gives advice that a page of its API has no hashes', () => {
  const page = {
    owner: 'shop',
    name: 'ada',
    passwordType: 'bcrypt',
    isForbidden: false,
    signupApplication: 'app',
  };
  const { advice } = readUsers(casdoor, [tableOf('json', [{ ...page, password: '***' }])]);
  expect(advice.join()).toContain('-export');
  expect(formsOf(casdoor, tableOf('json', [page]).head)).toEqual(['casdoor-export']);
});

it.each([
  [{}, true],
  [{ is_enabled: 'f' }, false],
  [{ resource_type: 'API' }, false],
  [{ owner: 'built-in' }, false],
])('asks about permissions for an application, which say who may sign in: %j', (record, isAsked) => {
  const permission = { owner: 'shop', resource_type: 'Application', is_enabled: 't', effect: 'Deny' };
  const tables = [
    usersOf({}),
    organizationOf({}),
    tableOf('sql', [{ ...permission, ...record }], { name: 'public.permission' }),
  ];
  const { advice } = readUsers(casdoor, tables);
  expect(advice.join().includes('--ignore-table permission')).toBe(isAsked);
});
