import { describe, expect, it } from 'vitest';
import { supertokens } from '../../../src/sources/systems/supertokens.ts';
import { NOW_MS, readUsers, tableOf } from './read-users.ts';

const T = 1700000000000;
const named = (name: string, ...rows: Record<string, unknown>[]) =>
  tableOf(
    'sql',
    rows.map((row) => ({ app_id: 'public', ...row })),
    { name: `public.${name}` },
  );
const account = (user_id: string, recipe_id: string, more: object = {}) => ({
  tenant_id: 'public',
  user_id,
  primary_or_recipe_user_id: user_id,
  is_linked_or_is_a_primary_user: 'f',
  recipe_id,
  time_joined: String(T),
  ...more,
});
const linkedTo = (primary: string) => ({
  primary_or_recipe_user_id: primary,
  is_linked_or_is_a_primary_user: 't',
});
const accounts = (...rows: Record<string, unknown>[]) => named('all_auth_recipe_users', ...rows);
const password = (user_id: string, email: string) => ({
  user_id,
  email,
  password_hash: `$2a$10$${user_id}`,
  time_joined: String(T),
});
const google = (user_id: string, email: string) => ({
  third_party_id: 'google',
  third_party_user_id: `g-${user_id}`,
  user_id,
  email,
  time_joined: String(T + 1),
});

describe('the tables of a core', () => {
  it('give linked accounts with their external ids as one user', () => {
    const { users } = readUsers(supertokens, [
      accounts(
        account('b', 'thirdparty', linkedTo('a')),
        account('a', 'emailpassword', linkedTo('a')),
        account('c', 'emailpassword', linkedTo('a')),
      ),
      named('emailpassword_users', password('a', 'ada@example.com'), password('c', 'ada@work.example')),
      named('thirdparty_users', google('b', 'ada@gmail.example')),
      named(
        'userid_mapping',
        { supertokens_user_id: 'b', external_user_id: 'ext-b' },
        { supertokens_user_id: 'a', external_user_id: 'ext-a' },
      ),
      // Under the external ids.
      named(
        'emailverification_verified_emails',
        { user_id: 'ext-b', email: 'ada@gmail.example' },
        { user_id: 'a', email: 'ada@example.com' },
      ),
      named('user_metadata', { user_id: 'ext-a', user_metadata: '{"plan":"pro"}' }),
    ]);
    expect(users).toEqual([
      expect.objectContaining({
        externalUserId: 'ext-a',
        email: 'ada@example.com',
        isVerified: false,
        metadata: { plan: 'pro' },
        loginMethods: [
          {
            recipeId: 'emailpassword',
            email: 'ada@example.com',
            passwordHash: '$2a$10$a',
            isVerified: false,
            isPrimary: true,
            timeJoinedInMSSinceEpoch: T,
          },
          {
            recipeId: 'thirdparty',
            thirdPartyId: 'google',
            thirdPartyUserId: 'g-b',
            email: 'ada@gmail.example',
            isVerified: true,
            externalUserId: 'ext-b',
            timeJoinedInMSSinceEpoch: T + 1,
          },
          {
            recipeId: 'emailpassword',
            email: 'ada@work.example',
            passwordHash: '$2a$10$c',
            isVerified: false,
            externalUserId: 'c',
            timeJoinedInMSSinceEpoch: T,
          },
        ],
      }),
    ]);
  });

  it('leave out other apps and tenants, and count them', () => {
    const { users, dropped } = readUsers(supertokens, [
      accounts(
        account('a', 'emailpassword'),
        account('a', 'emailpassword', { tenant_id: 'second' }),
        account('a', 'emailpassword', { app_id: 'other' }),
      ),
      named('emailpassword_users', password('a', 'ada@example.com'), {
        ...password('a', 'other@example.com'),
        app_id: 'other',
      }),
    ]);
    expect(users.map(({ email }) => email)).toEqual(['ada@example.com']);
    expect(dropped).toEqual({ 'other tenants': 2 });
  });

  it('keep a linked account whose primary one is in another tenant', () => {
    const { users } = readUsers(supertokens, [
      accounts(
        account('a', 'emailpassword', { ...linkedTo('a'), tenant_id: 'second' }),
        account('b', 'thirdparty', linkedTo('a')),
      ),
      named('thirdparty_users', google('b', 'ada@gmail.example')),
    ]);
    expect(users).toEqual([expect.objectContaining({ externalUserId: 'a', email: 'ada@gmail.example' })]);
  });

  it('may be of a core before account linking and tenants', () => {
    const old = { user_id: 'a', recipe_id: 'emailpassword', time_joined: String(T) };
    const { users } = readUsers(supertokens, [
      tableOf('sql', [old], { name: 'public.all_auth_recipe_users' }),
      tableOf('sql', [password('a', 'ada@example.com')], { name: 'public.emailpassword_users' }),
    ]);
    expect(users).toEqual([expect.objectContaining({ externalUserId: 'a', timeJoinedMs: T })]);
    expect(users[0]?.loginMethods).toHaveLength(1);
  });

  it('give no login methods for passwordless users', () => {
    const { users, dropped } = readUsers(supertokens, [
      accounts(account('a', 'passwordless'), account('b', 'passwordless'), account('c', 'webauthn')),
      named(
        'passwordless_users',
        { user_id: 'a', email: null, phone_number: '+1', time_joined: String(T) },
        { user_id: 'b', email: 'grace@example.com', phone_number: null, time_joined: String(T) },
      ),
    ]);
    expect(users.map(({ email, hasPhone, loginMethods }) => [email, hasPhone, loginMethods])).toEqual([
      [undefined, true, []],
      ['grace@example.com', false, []],
      [undefined, false, []],
    ]);
    expect(dropped).toEqual({ 'phone numbers': 1 });
  });

  it('count roles and second factors once for each user, and leave out future times', () => {
    const { users, dropped } = readUsers(supertokens, [
      accounts(account('a', 'emailpassword')),
      named('emailpassword_users', { ...password('a', 'ada@example.com'), time_joined: String(NOW_MS + 1) }),
      named(
        'user_roles',
        { user_id: 'a', role: 'admin', tenant_id: 'public' },
        { user_id: 'a', role: 'x', tenant_id: 'public' },
      ),
      named('totp_user_devices', { user_id: 'a', device_name: 'd', secret_key: 's' }),
    ]);
    expect(dropped).toEqual({ roles: 1, mfa: 1 });
    expect(users[0]?.loginMethods).toEqual([
      expect.not.objectContaining({ timeJoinedInMSSinceEpoch: expect.anything() }),
    ]);
    expect(JSON.stringify(users)).not.toContain('"s"');
  });
});

describe('bodies of the bulk import API', () => {
  const method = {
    recipeId: 'emailpassword',
    tenantIds: ['public', 'second'],
    email: 'ada@example.com',
    passwordHash: 'x',
    hashingAlgorithm: 'firebase_scrypt',
    isVerified: true,
    timeJoinedInMSSinceEpoch: T,
    externalUserId: 'm1',
  };
  const readOne = (user: object) =>
    readUsers(supertokens, [tableOf('json', [{ loginMethods: [method], ...user }], { name: 'users' })]);

  it('are passed through, except for other tenants', () => {
    const { form, users, dropped } = readOne({ externalUserId: 'u1', userMetadata: { a: 1 } });
    const { tenantIds, ...kept } = method;
    expect(form.name).toBe('supertokens-bulk');
    expect(users).toEqual([
      {
        externalUserId: 'u1',
        email: 'ada@example.com',
        isVerified: true,
        timeJoinedMs: T,
        loginMethods: [kept],
        metadata: { a: 1 },
        hasPhone: false,
      },
    ]);
    expect(dropped).toEqual({});
  });

  it('may be flat, as lines of a stream are', () => {
    const hashed = { email: 'flat@example.com', passwordHash: '$2a$10$flat', hashingAlgorithm: 'bcrypt' };
    const google = { thirdPartyId: 'google', thirdPartyUserId: 'g-1' };
    const social = { ...google, email: { id: 'social@example.com', isVerified: true } };
    const { form, users } = readUsers(supertokens, [
      tableOf('json', [hashed, { loginMethods: [method] }, social, { email: 'none@example.com' }], {
        name: 'users',
      }),
    ]);
    expect(form.name).toBe('supertokens-bulk');
    expect(users.map(({ email, loginMethods }) => [email, loginMethods])).toMatchObject([
      ['flat@example.com', [{ recipeId: 'emailpassword', ...hashed }]],
      ['ada@example.com', [{ recipeId: 'emailpassword' }]],
      [
        'social@example.com',
        [{ recipeId: 'thirdparty', ...google, email: 'social@example.com', isVerified: true }],
      ],
      [undefined, []],
    ]);
  });

  it('lose members that the service would refuse', () => {
    const { users, dropped } = readOne({
      userRoles: [{ role: 'admin', tenantIds: ['public'] }],
      totpDevices: [{ secretKey: 's' }],
      loginMethods: [
        { recipeId: 'passwordless', phoneNumber: '+1', email: 'ada@example.com' },
        { ...method, tenantIds: ['second'] },
        { ...method, tenantIds: [] },
      ],
    });
    expect(dropped).toEqual({ roles: 1, mfa: 1, 'phone numbers': 1, 'other tenants': 1 });
    expect(users[0]?.loginMethods).toEqual([expect.objectContaining({ recipeId: 'emailpassword' })]);
    expect(users[0]?.hasPhone).toBe(true);
  });

  it('are named by the primary method, which is the oldest', () => {
    const older = { recipeId: 'thirdparty', email: 'old@example.com', timeJoinedInMSSinceEpoch: 5 };
    expect(readOne({ loginMethods: [method, older] }).users[0]).toMatchObject({
      email: 'old@example.com',
      timeJoinedMs: 5,
    });
    expect(readOne({ loginMethods: [{ ...method, isPrimary: true }, older] }).users[0]?.email).toBe(
      'ada@example.com',
    );
  });

  it('leave invalid methods for the service to refuse', () => {
    expect(readOne({ loginMethods: ['x', null, method] }).users[0]?.loginMethods).toHaveLength(3);
  });
});
