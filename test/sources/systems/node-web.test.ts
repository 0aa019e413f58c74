import { describe, expect, it } from 'vitest';
import { betterAuth } from '../../../src/sources/systems/better-auth.ts';
import { directus } from '../../../src/sources/systems/directus.ts';
import { feathers } from '../../../src/sources/systems/feathers.ts';
import { lucia } from '../../../src/sources/systems/lucia.ts';
import { passportLocalMongoose } from '../../../src/sources/systems/passport-local-mongoose.ts';
import { payload } from '../../../src/sources/systems/payload.ts';
import { medusa } from '../../../src/sources/systems/shops.ts';
import { findForm, NOW_MS, readOne, readUsers, tableOf } from './read-users.ts';

const BCRYPT = '$2b$04$tpDMOHO03U2RcAv.FsdV4uP9h2UxN64TPdLzFyY9/rzLWffB4PR7K';

describe('Lucia 3', () => {
  const user = { id: 'u1', username: 'ada', email: 'a@x', password_hash: '$argon2id$x' };
  const session = { id: 's1', user_id: 'u1', expires_at: '2024-01-01' };
  const users = tableOf('sql', [user], { name: 'public.user' });
  const formWith = (sessions: object, table = users) =>
    findForm(lucia, [table, tableOf('sql', [{ ...session, ...sessions }], { name: 'public.session' })])?.name;

  it('is recognised by its sessions, which have no tokens', () => {
    expect(formWith({})).toBe('lucia-v3-sql');
    expect(formWith({ token: 'x' })).toBeUndefined();
    expect(findForm(lucia, [users])).toBeUndefined();
    const others = tableOf('sql', [session], { name: 'public.carts' });
    expect(findForm(lucia, [users, others])).toBeUndefined();
    expect(formWith({}, tableOf('sql', [{ ...user, is_superuser: 'f' }], { name: 'user' }))).toBeUndefined();
    expect(formWith({}, tableOf('sql', [user], { name: 'customers' }))).toBeUndefined();
  });

  it('is recognised by its accounts, in files that name no table', () => {
    const account = { provider_id: 'github', provider_user_id: '7', user_id: 'u1' };
    const files = (changes: object) => [tableOf('csv', [user]), tableOf('csv', [{ ...account, ...changes }])];
    expect(readUsers(lucia, files({})).users[0]?.identities).toEqual([{ provider: 'github', userId: '7' }]);
    expect(findForm(lucia, files({ access_token: 'x' }))).toBeUndefined();
  });

  it('rejects users of Better Auth', () => {
    const own = tableOf(
      'sql',
      [
        {
          id: 'u1',
          email: 'a@x',
          name: 'A',
          image: null,
          emailVerified: 't',
          createdAt: '2024-01-01',
          updatedAt: '2024-01-01',
        },
      ],
      { name: 'user' },
    );
    expect(formWith({}, own)).toBeUndefined();
    expect(findForm(betterAuth, [own])?.name).toBe('better-auth-sql');
    expect(findForm(betterAuth, [users])).toBeUndefined();
  });

  it('counts second factors', () => {
    const table = tableOf('sql', [{ ...user, two_factor_secret: '\\x3132' }], {
      name: 'user',
    });
    const { users: read, dropped } = readUsers(lucia, [table], { isNamed: true });
    expect(dropped).toEqual({ mfa: 1 });
    expect(JSON.stringify(read)).not.toContain('3132');
  });
});

describe('Directus', () => {
  const user = {
    id: 'u1',
    email: 'a@x',
    password: '$argon2id$v=19$x',
    status: 'active' as unknown,
    provider: 'default',
    external_identifier: null as unknown,
    tfa_secret: null as unknown,
    role: null as unknown,
    token: null as unknown,
    auth_data: null as unknown,
  };
  const read = (changes: Partial<typeof user>) =>
    readOne(directus, tableOf('json', [{ ...user, ...changes }]));

  it.each(['draft', 'invited', 'unverified', 'suspended', 'archived', 'inactive', 'ACTIVE', '', null])(
    'does not import users with the status %j',
    (status) => {
      expect(read({ status })).toMatchObject({
        state: 'DISABLED',
        stateReason: `status is ${status === '' || status === null ? 'empty' : status}`,
      });
    },
  );

  it('ignores passwords of users of a provider', () => {
    const social = { provider: 'google', external_identifier: '110' };
    expect(read(social)).toMatchObject({
      password: undefined,
      identities: [{ provider: 'google', userId: '110' }],
    });
    expect(read({}).password).toEqual({ encoded: '$argon2id$v=19$x' });
    expect(read({ external_identifier: '110' }).identities).toEqual([]);
  });

  it('counts what cannot be imported, and keeps no secrets', () => {
    const table = tableOf('json', [
      { ...user, tfa_secret: 'SECRET', token: 'SECRET', auth_data: '{"refreshToken":"SECRET"}', role: 'r' },
      { ...user, provider: 'google', external_identifier: 'A@x ' },
    ]);
    const { users, dropped } = readUsers(directus, [table]);
    expect(dropped).toEqual({ mfa: 1, roles: 1, 'identities without an id': 1 });
    expect(JSON.stringify(users)).not.toContain('SECRET');
  });

  it('gives advice that its API hides hashes', () => {
    expect(read({ password: '**********' }).password).toMatchObject({ problem: 'HASH_REDACTED' });
  });
});

describe('Payload', () => {
  const OLD = 'ab'.repeat(512);
  const NEW = `pbkdf2-sha256-v1:${'cd'.repeat(32)}`;
  const user = { id: 1, email: 'a@x', hash: OLD, salt: 'ef'.repeat(32), login_attempts: 0, lock_until: null };
  const collection = (name: string, changes: object = {}) =>
    tableOf('sql', [{ ...user, ...changes }], { name: `public.${name}` });
  const salt = Buffer.from(user.salt).toString('base64').replace(/=+$/, '');
  const digest = (text: string) => Buffer.from(text, 'hex').toString('base64').replace(/=+$/, '');

  it('reads both forms of hashes', () => {
    const encoded = (hash: string) => readOne(payload, collection('users', { hash })).password;
    expect(encoded(OLD)).toEqual({
      encoded: `$pbkdf2-sha256$i=25000,l=512$${salt}$${digest(OLD)}`,
      algorithm: 'pbkdf2',
    });
    expect(encoded(NEW)).toEqual({
      encoded: `$pbkdf2-sha256$i=600000,l=32$${salt}$${digest('cd'.repeat(32))}`,
      algorithm: 'pbkdf2',
    });
    expect(encoded('')).toBeUndefined();
  });

  it('is unsure about hashes that it does not make, and refuses them beside its own', () => {
    for (const hash of ['ab'.repeat(32), `${NEW}00`, `pbkdf2-sha512-v2:${'cd'.repeat(32)}`, BCRYPT]) {
      expect(findForm(payload, [collection('users', { hash })])).toBeUndefined();
      const own = Array.from({ length: 20 }, () => user);
      const { users } = readUsers(payload, [tableOf('sql', [...own, { ...user, hash }], { name: 'users' })]);
      expect(users[20]?.password).toMatchObject({ problem: 'PASSWORD_HASH_INVALID' });
    }
  });

  it('requires the name of one of several collections', () => {
    const tables = [collection('users'), collection('customers', { email: 'c@x' })];
    expect(readUsers(payload, tables).advice).toEqual([
      expect.stringMatching(/^stop: Several.*--set collection=NAME\.$/),
    ]);
    const chosen = readUsers(payload, tables, { settings: { collection: 'customers' } });
    expect(chosen.users.map(({ email }) => email)).toEqual(['c@x']);
    expect(chosen.advice).toEqual([]);
    expect(readUsers(payload, tables, { settings: { collection: 'clients' } }).advice).toEqual([
      expect.stringMatching(/^stop: There is no collection clients.*users, customers/),
    ]);
  });

  it('reads documents of MongoDB, which passport-local-mongoose leaves to it', () => {
    const document = {
      _id: '65a50d1800000000000000aa',
      email: 'a@x',
      hash: OLD,
      salt: user.salt,
      loginAttempts: 0,
      _verified: false,
      __v: 0,
    };
    const table = tableOf('json', [document]);
    expect(findForm(passportLocalMongoose, [table])).toBeUndefined();
    expect(readOne(payload, table)).toMatchObject({
      externalUserId: document._id,
      isVerified: false,
      timeJoinedMs: 0x65a50d18 * 1000,
    });
    const { loginAttempts: _, ...others } = document;
    expect(findForm(payload, [tableOf('json', [others])])).toBeUndefined();
    expect(findForm(passportLocalMongoose, [tableOf('json', [others])])).toBeDefined();
  });

  it('counts current locks, and keeps no API key', () => {
    const until = (ms: number) => new Date(NOW_MS + ms).toISOString();
    const read = (ms: number) =>
      readUsers(payload, [collection('users', { lock_until: until(ms), api_key: 'SECRET' })]);
    expect(read(1000).dropped).toEqual({ 'temporary locks': 1 });
    expect(read(-1000).dropped).toEqual({});
    expect(JSON.stringify(read(0).users)).not.toContain('SECRET');
  });

  it('rejects users in the trash', () => {
    expect(readOne(payload, collection('users', { deleted_at: '2024-06-01' })).state).toBe('DELETED');
  });
});

describe('Medusa', () => {
  const customer = {
    id: 'cus_1',
    email: 'a@x',
    company_name: null,
    has_account: 't' as unknown,
    deleted_at: null as unknown,
    created_at: '2024-01-01',
  };
  const identity = (id: string, changes: object = {}) => ({
    id,
    app_metadata: '{"customer_id": "cus_1"}',
    deleted_at: null,
    ...changes,
  });
  const login = (auth_identity_id: string, changes: object = {}) => ({
    auth_identity_id,
    entity_id: 'a@x',
    provider: 'emailpass',
    user_metadata: null,
    provider_metadata: '{"password": "c2NyeXB0"}',
    deleted_at: null,
    ...changes,
  });
  const read = (customers: object[], identities: object[], logins: object[]) =>
    readUsers(medusa, [
      tableOf('sql', customers as never[], { name: 'public.customer' }),
      tableOf('sql', identities as never[], { name: 'public.auth_identity' }),
      tableOf('sql', logins as never[], { name: 'public.provider_identity' }),
    ]);

  it('reads only a hash of emailpass, and the first of several', () => {
    const { users, dropped } = read(
      [customer],
      [identity('a1'), identity('a2'), identity('a3')],
      [
        login('a1', {
          provider: 'github',
          entity_id: '7',
          provider_metadata: '{"password":"SECRET","access_token":"SECRET"}',
        }),
        login('a2'),
        login('a3', { entity_id: 'b@x' }),
      ],
    );
    expect(users).toMatchObject([
      {
        email: 'a@x',
        password: { encoded: 'c2NyeXB0', algorithm: 'scrypt-kdf' },
        identities: [{ provider: 'github', userId: '7' }],
      },
    ]);
    expect(dropped).toEqual({ 'further hashes': 1 });
    expect(JSON.stringify(users)).not.toContain('SECRET');
  });

  it('ignores deleted logins', () => {
    const deleted = { deleted_at: '2024-06-01' };
    expect(read([customer], [identity('a1', deleted)], [login('a1')]).users[0]?.password).toBeUndefined();
    expect(read([customer], [identity('a1')], [login('a1', deleted)]).users[0]?.password).toBeUndefined();
  });

  it.each([
    [{ has_account: 'f' }, 'ANONYMOUS'],
    [{ has_account: null }, 'ANONYMOUS'],
    [{ deleted_at: '2024-06-01' }, 'DELETED'],
    [{}, undefined],
  ])('reads the state of %j', (changes, state) => {
    expect(read([{ ...customer, ...changes }], [], []).users[0]?.state).toBe(state);
  });

  it('stops at an unknown actor', () => {
    const table = tableOf('sql', [customer], { name: 'customer' });
    expect(readUsers(medusa, [table], { settings: { actor: 'users' } }).advice).toEqual([
      expect.stringMatching(/^stop: --set actor=users/),
    ]);
  });
});

describe('Feathers', () => {
  const user = { id: '1', email: 'a@x', password: BCRYPT, googleId: '110', companyId: '7', githubId: null };
  const managed = { verifyShortToken: '123456', verifyChanges: null, resetShortToken: 'SECRET' };

  it('accepts only tables with the columns of its authentication management', () => {
    expect(findForm(feathers, [tableOf('json', [user])])).toBeUndefined();
    expect(findForm(feathers, [tableOf('json', [user])], { isNamed: true })?.name).toBe('feathers-json');
    expect(findForm(feathers, [tableOf('json', [{ ...user, ...managed }])])?.name).toBe('feathers-json');
  });

  it('reads a column for each provider, and keeps no token', () => {
    const read = readOne(feathers, tableOf('json', [{ ...user, ...managed, isVerified: true }]));
    expect(read).toMatchObject({
      isVerified: true,
      password: { algorithm: 'bcrypt' },
      identities: [{ provider: 'google', userId: '110' }],
    });
    expect(JSON.stringify(read)).not.toMatch(/SECRET|123456/);
  });
});
