import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/sources/containers/table.ts';
import { authjs } from '../../../src/sources/systems/authjs.ts';
import { betterAuth } from '../../../src/sources/systems/better-auth.ts';
import { lucia } from '../../../src/sources/systems/lucia.ts';
import { passwordOf, vector } from '../../support/vectors.ts';
import { acceptedHash, findForm, NOW_MS, readUsers, type TestTable, tableOf } from './read-users.ts';

const USER = {
  id: 'u1',
  name: 'Ada',
  email: 'ada@example.com',
  emailVerified: true as unknown,
  image: null,
  createdAt: '2024-01-15T10:30:00.000Z',
  updatedAt: '2024-01-15T10:30:00.000Z',
};
const snakeCase = (record: SourceRecord): SourceRecord =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name.replace(/[A-Z]/g, '_$&').toLowerCase(), value]),
  );
const formOf = (source: typeof lucia, tables: TestTable[], isNamed = false) =>
  findForm(source, tables, { isNamed })?.name;

describe('betterAuth', () => {
  const hash = vector('better-auth', 'lt-better-auth-02');
  const account = { id: 'a1', accountId: 'u1', providerId: 'credential', userId: 'u1', password: hash.hash };
  const social = {
    id: 'a2',
    accountId: '110',
    providerId: 'google',
    userId: 'u1',
    password: null,
    accessToken: 'ya29',
  };

  it.each([
    [
      'Drizzle in snake case',
      tableOf('sql', [snakeCase({ ...USER, emailVerified: 't' })], { name: 'public.user' }),
      tableOf('sql', [account, social].map(snakeCase), { name: 'public.account' }),
    ],
    ['CSV', tableOf('csv', [{ ...USER, emailVerified: 'true' }]), tableOf('csv', [account, social])],
    [
      'MySQL',
      tableOf('sql', [{ ...USER, emailVerified: '1' }], { name: 'user' }),
      tableOf('sql', [account, social], { name: 'account' }),
    ],
  ])('reads %s', async (_name, users, accounts) => {
    const [user] = readUsers(betterAuth, [users, accounts]).users;
    expect(user).toMatchObject({
      externalUserId: 'u1',
      isVerified: true,
      timeJoinedMs: Date.UTC(2024, 0, 15, 10, 30),
      identities: [{ provider: 'google', userId: '110' }],
    });
    expect(await acceptedHash(user?.password).verify(passwordOf(hash))).toBe(true);
    expect(JSON.stringify(user)).not.toContain('ya29');
  });

  it('reads the id and the time of MongoDB', () => {
    const { id, createdAt, ...rest } = USER;
    const users = tableOf('json', [{ _id: '65a50d1800000000000000aa', ...rest, createdAt: null }]);
    const [user] = readUsers(betterAuth, [users, tableOf('json', [account])]).users;
    expect(user).toMatchObject({
      externalUserId: '65a50d1800000000000000aa',
      timeJoinedMs: 0x65a50d18 * 1000,
    });
  });

  it.each([
    [{ banned: true, banExpires: null }, 'DISABLED'],
    [{ banned: true, banExpires: new Date(NOW_MS + 1).toISOString() }, 'DISABLED'],
    [{ banned: true, banExpires: new Date(NOW_MS - 1).toISOString() }, undefined],
    [{ banned: false }, undefined],
    [{ isAnonymous: true }, 'ANONYMOUS'],
  ])('reads the state of %j', (row, state) => {
    expect(readUsers(betterAuth, [tableOf('json', [{ ...USER, ...row }])]).users[0]?.state).toBe(state);
  });

  it('counts what cannot be imported', () => {
    const row = { ...USER, phoneNumber: '+1', twoFactorEnabled: true, role: 'admin' };
    expect(readUsers(betterAuth, [tableOf('json', [row])]).dropped).toEqual({
      'phone numbers': 1,
      mfa: 1,
      roles: 1,
    });
    expect(readUsers(betterAuth, [tableOf('json', [{ ...USER, role: 'user' }])]).dropped).toEqual({});
  });

  it('is unsure about a table that other systems have as well', () => {
    const { image, name, ...few } = USER;
    expect(formOf(betterAuth, [tableOf('json', [few])])).toBeUndefined();
    expect(formOf(betterAuth, [tableOf('json', [few]), tableOf('json', [account])])).toBe('better-auth-json');
    expect(formOf(betterAuth, [tableOf('json', [{ ...USER, password: 'x' }])])).toBeUndefined();
    expect(formOf(betterAuth, [tableOf('json', [few])], true)).toBe('better-auth-json');
  });
});

describe('authjs', () => {
  const users = (emailVerified: unknown, more: object = {}) =>
    tableOf('json', [
      { id: 'u1', name: 'Ada', email: 'ada@example.com', emailVerified, image: null, ...more },
    ]);
  const account = {
    userId: 'u1',
    type: 'oidc',
    provider: 'google',
    providerAccountId: '110',
    access_token: 'ya29',
  };

  it('is distinguished from Better Auth by the values of emailVerified', () => {
    for (const [value, ours, theirs] of [
      ['2024-01-15T10:30:00.000Z', 'authjs-json', undefined],
      [null, 'authjs-json', undefined],
      [true, undefined, 'better-auth-json'],
      [false, undefined, 'better-auth-json'],
    ] as const) {
      const table = [users(value, { createdAt: USER.createdAt, updatedAt: USER.updatedAt })];
      expect([value, formOf(authjs, table), formOf(betterAuth, table)]).toEqual([value, ours, theirs]);
    }
  });

  it('reads tables in snake case, with their accounts', () => {
    const user = {
      id: 'u1',
      email: 'ada@example.com',
      email_verified: '2024-01-15 10:30:00',
      hashed_password: '$2b$10$x',
    };
    const tables = [
      tableOf('sql', [user], { name: 'public.users' }),
      tableOf('sql', [snakeCase(account), { ...snakeCase(account), type: 'email', provider: 'resend' }], {
        name: 'public.accounts',
      }),
    ];
    expect(formOf(authjs, tables.slice(0, 1))).toBeUndefined();
    expect(readUsers(authjs, tables).users).toEqual([
      expect.objectContaining({
        isVerified: true,
        password: { encoded: '$2b$10$x', algorithm: 'bcrypt' },
        identities: [{ provider: 'google', userId: '110' }],
      }),
    ]);
  });

  it.each(['password', 'hashedPassword', 'passwordHash'])('finds a hash under %s', (column) => {
    const [user] = readUsers(authjs, [users(null, { [column]: '$argon2id$x' })]).users;
    expect(user?.password).toEqual({ encoded: '$argon2id$x' });
  });

  it('gives advice that no column has hashes', () => {
    const advise = (table: TestTable) => authjs.forms[0]?.advice?.({ tables: [table.head], settings: {} });
    expect(advise(users(null))?.[0]?.text).toContain('export it under the name password');
    expect(advise(users(null, { password: null }))).toEqual([]);
  });
});

describe('lucia', () => {
  const [v1, v2] = [vector('lucia-v1', 'lt-lucia-v1-02'), vector('lucia', 'lt-lucia-02')];
  const v3 = vector('lucia', 'lt-lucia-03');
  const keys = (...rows: object[]) =>
    tableOf(
      'sql',
      rows.map((row) => ({ user_id: 'u1', hashed_password: null, ...row })),
      { name: 'public.auth_key' },
    );

  it('finds the e-mail in a key if the table of users has none', async () => {
    const users = tableOf('sql', [{ id: 'u1', username: 'ada' }], { name: 'public.auth_user' });
    const read = readUsers(lucia, [
      users,
      keys(
        { id: 'github:1:2' },
        { id: 'email:ada@example.com', hashed_password: v1.hash },
        { id: 'phone:+1' },
      ),
    ]);
    expect(read.form.name).toBe('lucia-sql');
    expect(read.users).toEqual([
      expect.objectContaining({
        email: 'ada@example.com',
        identities: [{ provider: 'github', userId: '1:2' }],
        password: { encoded: v1.hash, algorithm: 'lucia-v1' },
      }),
    ]);
    expect(await acceptedHash(read.users[0]?.password).verify(passwordOf(v1))).toBe(true);
  });

  it('is not recognised without its keys, because any system may have its users', () => {
    const users = tableOf('csv', [{ id: 'u1', email: 'ada@example.com' }]);
    expect(formOf(lucia, [users])).toBeUndefined();
    expect(formOf(lucia, [users, keys({ id: 'email:ada@example.com' })])).toBe('lucia-csv');
    const sessions = tableOf('csv', [{ id: 's1', user_id: 'u1', active_expires: '1' }]);
    expect(formOf(lucia, [sessions, keys({ id: 'email:ada@example.com' })])).toBeUndefined();
  });

  it('rejects auth_user of Django', () => {
    const django = tableOf('sql', [{ id: '1', email: 'a@b.c', is_superuser: 'f' }], {
      name: 'public.auth_user',
    });
    expect(formOf(lucia, [django, keys({ id: 'email:a@b.c' })])).toBeUndefined();
  });

  it('reads version 3, whose hash is in the table of users', async () => {
    const users = (hash: string) =>
      tableOf('sql', [{ id: 'u1', email: 'ada@example.com', password_hash: hash }], { name: 'user' });
    const accounts = tableOf('sql', [{ provider_id: 'github', provider_user_id: '5', user_id: 'u1' }], {
      name: 'oauth_account',
    });
    expect(formOf(lucia, [users(v2.hash)])).toBe('lucia-v3-sql');
    // Scrypt of other implementations looks like it, but has other parameters.
    expect(formOf(lucia, [users(v3.hash)])).toBeUndefined();
    const [user] = readUsers(lucia, [users(v3.hash), accounts], { isNamed: true }).users;
    expect(user?.identities).toEqual([{ provider: 'github', userId: '5' }]);
    expect(await acceptedHash(user?.password).verify(passwordOf(v3))).toBe(true);
  });
});
