import { pbkdf2Sync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { buildRegistry } from '../../../src/hashing/registry.ts';
import type { SourceRecord } from '../../../src/sources/containers/table.ts';
import { keycloak } from '../../../src/sources/systems/keycloak.ts';
import { passwordOf } from '../../../src/sources/systems/keycloak-credential.ts';
import { DEFAULT_LIMITS } from '../../support/vectors.ts';
import {
  adviceOf,
  contextOf,
  formNamed,
  formsOf,
  headOf,
  jsonTablesOf,
  readTables,
  readUsers,
  type TestTable,
  tablesOfSample,
} from './read-users.ts';

const realm = formNamed(keycloak, 'keycloak-realm');
const database = formNamed(keycloak, 'keycloak-tables');

describe('credentials', () => {
  const salt = Buffer.from('0123456789abcdef');
  const value = pbkdf2Sync('old', salt, 20000, 64, 'sha1').toString('base64');
  const flat = {
    type: 'password',
    hashedSaltedValue: value,
    salt: salt.toString('base64'),
    hashIterations: 20000,
  };

  it.each([undefined, 'pbkdf2', 'HmacSHA1'])('from before version 8 sign in: %s', async (algorithm) => {
    const password = passwordOf({ ...flat, ...(algorithm !== undefined && { algorithm }) });
    if (password === undefined || !('encoded' in password)) throw new Error('no hash');
    const hash = buildRegistry(DEFAULT_LIMITS).named('pbkdf2')?.parse(password.encoded);
    expect(await hash?.verify(Buffer.from('old'))).toBe(true);
    expect(await hash?.verify(Buffer.from('new'))).toBe(false);
  });

  it('in the clear, of another provider, and none', () => {
    expect(passwordOf({ type: 'password', value: 'secret' })).toEqual({ plainText: 'secret' });
    expect(passwordOf({ type: 'password' })).toBeUndefined();
    const bcrypt = '$2a$10$KwBCUpZQPBObDVE4SuTLtukI.XMW9g4AU.7xkMPvKPOQckh7hN0J2';
    const secretData = JSON.stringify({ value: bcrypt, salt: '' });
    expect(passwordOf({ secretData, credentialData: '{"algorithm":"bcrypt","hashIterations":10}' })).toEqual({
      encoded: bcrypt,
      algorithm: 'bcrypt',
    });
  });

  it.each([
    [{ algorithm: 'pbkdf2-sha3' }, 'HASH_ALGORITHM_UNKNOWN'],
    [{ hashIterations: 'many' }, 'PASSWORD_HASH_INVALID'],
    [{ salt: undefined }, 'PASSWORD_HASH_INVALID'],
    [{ algorithm: 'argon2', additionalParameters: { type: ['x'] } }, 'PASSWORD_HASH_INVALID'],
  ])('that cannot be had: %j', (changes, problem) => {
    expect(passwordOf({ ...flat, ...changes })).toMatchObject({ problem });
  });

  it('with argon2 have defaults', () => {
    const secretData = '{"value":"aGFzaA==","salt":"c2FsdA=="}';
    const credentialData =
      '{"algorithm":"argon2","hashIterations":5,"additionalParameters":{"version":["1.0"]}}';
    expect(passwordOf({ secretData, credentialData })).toEqual({
      encoded: '$argon2id$v=16$m=7168,t=5,p=1$c2FsdA$aGFzaA',
      algorithm: 'argon2',
    });
  });
});

const USER = { id: 'u1', username: 'ada@b.c', createdTimestamp: 1546227914789, enabled: true };

it('counts what has no place', () => {
  const credentials = [{ type: 'otp' }, { type: 'password', value: 'a' }, { type: 'password', value: 'b' }];
  const record = {
    ...USER,
    credentials,
    realmRoles: ['x'],
    groups: ['/g'],
    federatedIdentities: [{ identityProvider: 'x' }],
  };
  const { users, dropped } = readTables(realm, [{ head: headOf([record]), records: [record] }]);
  expect(users[0]?.password).toEqual({ plainText: 'a' });
  expect(dropped).toEqual({
    mfa: 1,
    'further hashes': 1,
    roles: 1,
    organisations: 1,
    'identities without an id': 1,
  });
});

it.each([undefined, null, false, 'false'])(
  'takes a user for disabled whose enabled is %j, as Keycloak does',
  (enabled) => {
    const record = { ...USER, enabled };
    const { users } = readTables(realm, [{ head: headOf([USER]), records: [record, USER] }]);
    expect(users.map(({ state }) => state)).toEqual(['DISABLED', undefined]);
  },
);

it('takes a user name for an address only where told so', () => {
  const emailOf = (settings: Record<string, string>) => realm.read(USER, contextOf({ settings }))?.email;
  expect(emailOf({})).toBeUndefined();
  expect(emailOf({ usernameIsEmail: 'yes' })).toBe('ada@b.c');
});

it('sees through aliases, where the file tells what stands behind them', () => {
  const identities = (root: SourceRecord) => {
    const aliases = ['my-google', 'corp', 'insta', 'github'];
    const federatedIdentities = aliases.map((identityProvider) => ({ identityProvider, userId: '1' }));
    const table = headOf([USER], { name: 'users', root });
    return realm.read({ ...USER, federatedIdentities }, contextOf({ table }))?.identities;
  };
  const identityProviders = [
    { alias: 'my-google', providerId: 'google' },
    { alias: 'corp', providerId: 'saml' },
    { alias: 'insta', providerId: 'instagram' },
    { alias: 'github', providerId: 'oidc' },
  ];
  expect(identities({ realm: 'x', identityProviders })).toEqual([
    { provider: 'google', userId: '1' },
    { provider: 'corp', userId: '1', isSso: true },
    { provider: 'insta', userId: '1', isSso: false },
    { provider: 'github', userId: '1', isSso: true },
  ]);
  expect(identities({})).toEqual([
    { provider: 'my-google', userId: '1', isSso: true },
    { provider: 'corp', userId: '1', isSso: true },
    { provider: 'insta', userId: '1', isSso: true },
    { provider: 'github', userId: '1', isSso: true },
  ]);
});

describe('files', () => {
  it('of users alone, and realms written by hand', async () => {
    const [users] = await jsonTablesOf({ realm: 'x', users: [USER] });
    const [byHand] = await jsonTablesOf({ realm: 'x', users: [{ username: 'ada', email: 'a@b.c' }] });
    expect(formsOf(keycloak, users?.head ?? headOf([]))).toEqual([realm.name]);
    expect(formsOf(keycloak, byHand?.head ?? headOf([]))).toEqual([realm.name]);
    expect(formsOf(keycloak, headOf([{ username: 'ada', email: 'a@b.c' }], { name: 'users' }))).toEqual([]);
  });

  it('of a realm without users stop, and say what to run', async () => {
    const [partial] = await tablesOfSample('keycloak/partial-export.json');
    const form = formNamed(keycloak, 'keycloak-realm without users');
    expect(formsOf(keycloak, partial?.head ?? headOf([]))).toEqual([form.name]);
    // As a reader has it that found no list of records.
    const root = { realm: 'example', enabled: true, clients: [{}] };
    expect(formsOf(keycloak, headOf([], { root }))).toEqual([form.name]);
    expect(formsOf(keycloak, headOf([], { root: { ...root, users: [] } }))).toEqual([]);
    expect(form.read(partial?.records[0] ?? {}, contextOf())).toBeUndefined();
    expect(adviceOf(form, partial?.head ?? headOf([]))).toEqual([
      { level: 'stop', text: expect.stringContaining('kc.sh export') },
    ]);
  });

  it('of several whole realms in a list stop, and say what to run', async () => {
    const list = [
      { realm: 'a', enabled: true, users: [USER] },
      { realm: 'b', enabled: true, users: [] },
    ];
    const [table] = await jsonTablesOf(list);
    const form = formNamed(keycloak, 'keycloak-realms in one list');
    expect(formsOf(keycloak, table?.head ?? headOf([]))).toEqual([form.name]);
    expect(adviceOf(form, table?.head ?? headOf([]))).toEqual([
      { level: 'stop', text: expect.stringContaining('--realm') },
    ]);
  });

  it('without credentials say what to run', () => {
    expect(adviceOf(realm, headOf([{ ...USER, credentials: [] }]))[0]?.text).toContain('kc.sh export');
    const credentials = [{ type: 'password', value: 'x' }];
    expect(adviceOf(realm, headOf([{ ...USER, credentials }]))).toEqual([]);
  });
});

it('reads the tables of its database', () => {
  const sql = (name: string, records: SourceRecord[]): TestTable => ({
    head: headOf(records, { container: 'sql', name }),
    records,
  });
  const user = (id: string, changes: SourceRecord) => ({
    id,
    email: `${id}@b.c`,
    email_verified: 't',
    enabled: 't',
    realm_id: 'r1',
    created_timestamp: '1546227914789',
    username: id,
    first_name: 'Ada',
    service_account_client_link: null,
    ...changes,
  });
  const users = sql('public.user_entity', [
    user('u1', {}),
    user('u2', { realm_id: 'master' }),
    user('u3', { enabled: '\u{0}' }),
    user('u4', { service_account_client_link: 'client' }),
  ]);
  const secret = {
    secret_data: '{"value":"aGFzaA==","salt":"c2FsdA=="}',
    credential_data: '{"hashIterations":2,"algorithm":"pbkdf2-sha512"}',
  };
  const tables = [
    sql('credential', [
      { id: 'c0', user_id: 'u1', type: 'otp', secret_data: '{}', credential_data: '{}' },
      { id: 'c1', user_id: 'u1', type: 'password', ...secret },
    ]),
    sql('federated_identity', [{ user_id: 'u1', identity_provider: 'my', federated_user_id: '9' }]),
    sql('identity_provider', [
      { internal_id: 'i0', provider_alias: 'my', provider_id: 'oidc', realm_id: 'master' },
      { internal_id: 'i1', provider_alias: 'my', provider_id: 'google', realm_id: 'r1' },
    ]),
    sql('user_attribute', [
      { user_id: 'u1', name: 'locale', value: 'de' },
      { user_id: 'u1', name: 'locale', value: 'en' },
    ]),
    users,
  ];
  expect(formsOf(keycloak, users.head)).toEqual([database.name]);
  const { users: read, dropped } = readTables(database, tables, { settings: { realm: 'r1' } });
  expect(read.map(({ externalUserId, state }) => [externalUserId, state])).toEqual([
    ['u1', undefined],
    ['u3', 'DISABLED'],
    ['u4', 'SERVICE_ACCOUNT'],
  ]);
  expect(read[0]).toEqual({
    externalUserId: 'u1',
    email: 'u1@b.c',
    isVerified: true,
    timeJoinedMs: 1546227914789,
    password: { encoded: '$pbkdf2-sha512$i=2$c2FsdA$aGFzaA', algorithm: 'pbkdf2' },
    identities: [{ provider: 'google', userId: '9' }],
    metadata: { username: 'u1', firstName: 'Ada', attributes: { locale: ['de', 'en'] } },
    state: undefined,
  });
  expect(dropped).toEqual({ mfa: 1, 'other tenants': 1 });
});

describe('organizations', () => {
  const stateIn = async (root: object, membershipType: string) => {
    const users = [{ ...USER, username: 'Ada' }];
    const members = [{ username: 'ada', membershipType }];
    const tables = await jsonTablesOf({
      realm: 'r',
      users,
      organizations: [{ enabled: true, members, ...root }],
    });
    return readUsers(keycloak, tables).users[0]?.state;
  };

  it('that are off let no managed member in', async () => {
    expect(await stateIn({ enabled: false }, 'MANAGED')).toBe('DISABLED');
    expect(await stateIn({ enabled: true }, 'MANAGED')).toBeUndefined();
    expect(await stateIn({ enabled: false }, 'UNMANAGED')).toBeUndefined();
  });

  it.each([
    ['MANAGED', [{ id: 'o', group_id: 'g', enabled: 'f' }], 'DISABLED'],
    ['MANAGED', [{ id: 'o', group_id: 'g', enabled: 't' }], undefined],
    ['UNMANAGED', [{ id: 'o', group_id: 'g', enabled: 'f' }], undefined],
    ['MANAGED', [], { column: 'user_group_membership.membership_type', word: 'MANAGED' }],
    [
      'GUEST',
      [{ id: 'o', group_id: 'g', enabled: 't' }],
      { column: 'user_group_membership.membership_type', word: 'GUEST' },
    ],
  ])('of the database: %s of %j', (membership_type, orgs, state) => {
    const sql = (name: string, records: SourceRecord[]): TestTable => ({
      head: headOf(records, { container: 'sql', name }),
      records,
    });
    const user = {
      ...{ id: 'u', username: 'u', email: 'u@b.c', email_verified: 't', enabled: 't', realm_id: 'r1' },
      ...{ created_timestamp: '1700000000000' },
    };
    const tables = [
      sql('user_entity', [user]),
      sql('user_group_membership', [{ user_id: 'u', group_id: 'g', membership_type }]),
      sql('org', orgs),
    ];
    expect(readUsers(keycloak, tables).users[0]?.state).toEqual(state);
    if (membership_type !== 'MANAGED' || state !== undefined) return;
    const isOn = (name: string, value: string) =>
      readUsers(keycloak, [...tables, sql('realm_attribute', [{ realm_id: 'r1', name, value }])]).users[0]
        ?.state;
    expect(isOn('organizationsEnabled', 'true')).toBeUndefined();
    expect(isOn('organizationsEnabled', 'false')).toBe('DISABLED');
    expect(isOn('frontendUrl', '')).toBe('DISABLED');
  });
});

describe('several realms', () => {
  const realmFile = (name: string) =>
    headOf([], {
      root: {
        id: `id-of-${name}`,
        realm: name,
        enabled: true,
        identityProviders: [{ alias: 'my', providerId: 'github' }],
      },
    });
  const usersOf = (name: string): TestTable => {
    const records = [
      { ...USER, id: `u-${name}`, federatedIdentities: [{ identityProvider: 'my', userId: '1' }] },
    ];
    return { head: headOf(records, { name: 'users', root: { realm: name } }), records };
  };
  const files = [
    { head: realmFile('acme'), records: [] },
    { head: realmFile('master'), records: [] },
    usersOf('acme'),
    usersOf('master'),
  ];
  const read = (settings: Record<string, string>) => readUsers(keycloak, files, { settings });

  it('of kc.sh export --dir are one export, with what stands behind their aliases', () => {
    const { form, users } = read({});
    expect(form.name).toBe(realm.name);
    expect(users).toMatchObject([
      { externalUserId: 'u-acme', identities: [{ provider: 'github', userId: '1' }] },
      { externalUserId: 'u-master' },
    ]);
  });

  it('are chosen by name', () => {
    const { users, dropped } = read({ realm: 'acme' });
    expect(users.map(({ externalUserId }) => externalUserId)).toEqual(['u-acme']);
    expect(dropped).toMatchObject({ 'other tenants': 1 });
  });

  it('let nobody in if the realm is not enabled', () => {
    const stateOf = (root: SourceRecord, file?: SourceRecord) => {
      const user = { id: 'u', username: 'u', enabled: true, createdTimestamp: 1 };
      const users = {
        head: headOf([user], { name: 'users', root: { realm: 'acme', ...root } }),
        records: [user],
      };
      const files = file === undefined ? [] : [{ head: headOf([], { root: file }), records: [] }];
      return readUsers(keycloak, [users, ...files]).users[0]?.state;
    };
    expect(stateOf({ enabled: true })).toBeUndefined();
    expect(stateOf({ enabled: false })).toBe('DISABLED');
    expect(stateOf({}, { realm: 'acme', sslRequired: 'none', enabled: false })).toBe('DISABLED');
    expect(stateOf({}, { realm: 'beta', sslRequired: 'none', enabled: false })).toBeUndefined();
  });

  it('of users alone do not show whether the realm is enabled', () => {
    const adviceOn = (root: SourceRecord) =>
      adviceOf(realm, headOf([{ ...USER, credentials: [{ type: 'password' }] }], { name: 'users', root }));
    expect(adviceOn({ realm: 'acme', enabled: true })).toEqual([]);
    expect(adviceOn({ realm: 'acme' })).toEqual([
      { level: 'warn', text: expect.stringContaining('REALM-realm.json') },
    ]);
  });

  it('say of which realm the users are missing', () => {
    const { advice } = readUsers(keycloak, files.slice(0, 3));
    expect(advice.join()).toContain('The users of master are in none of these files');
  });

  it('stand in tables under ids, with their names beside them', () => {
    const user = { email: 'a@b.c', email_verified: 't', enabled: 't', created_timestamp: '1546227914789' };
    const sql = (name: string, records: SourceRecord[]) => ({
      head: headOf(records, { container: 'sql', name }),
      records,
    });
    const tables = [
      sql('user_entity', [
        { ...user, id: 'u1', username: 'u1', realm_id: 'r1' },
        { ...user, id: 'u2', username: 'u2', realm_id: 'r2' },
      ]),
      sql('realm', [
        { id: 'r1', name: 'acme', ssl_required: 'EXTERNAL' },
        { id: 'r2', name: 'master', ssl_required: 'EXTERNAL' },
      ]),
      sql('user_required_action', [
        { user_id: 'u1', required_action: 'UPDATE_PASSWORD' },
        { user_id: 'u1', required_action: 'CONFIGURE_TOTP' },
      ]),
    ];
    const { users, dropped } = readUsers(keycloak, tables, { settings: { realm: 'acme' } });
    expect(users.map(({ externalUserId }) => externalUserId)).toEqual(['u1']);
    expect(dropped).toEqual({ 'other tenants': 1, mfa: 1, 'forced password changes': 1 });
  });

  it('of the database let nobody in if the realm is not enabled', () => {
    const stateWith = (enabled: string) => {
      const user = {
        ...{ id: 'u', username: 'u', email: 'u@b.c', email_verified: 't', enabled: 't', realm_id: 'r1' },
        ...{ created_timestamp: '1700000000000' },
      };
      const sql = (name: string, record: SourceRecord) => ({
        head: headOf([record], { container: 'sql', name }),
        records: [record],
      });
      const tables = [
        sql('user_entity', user),
        sql('realm', { id: 'r1', name: 'acme', ssl_required: 'NONE', enabled }),
      ];
      return readUsers(keycloak, tables).users[0]?.state;
    };
    expect(stateWith('t')).toBeUndefined();
    expect(stateWith('f')).toBe('DISABLED');
  });

  it('are chosen by name alone: the id of a realm may be the name of another', () => {
    const sql = (name: string, records: SourceRecord[]) => ({
      head: headOf(records, { container: 'sql', name }),
      records,
    });
    const user = { email: 'a@b.c', email_verified: 't', enabled: 't', created_timestamp: '1546227914789' };
    const tables = [
      sql('user_entity', [
        { ...user, id: 'u1', username: 'u1', realm_id: 'acme' },
        { ...user, id: 'u2', username: 'u2', realm_id: 'r2' },
      ]),
      sql('realm', [
        { id: 'acme', name: 'renamed', ssl_required: 'EXTERNAL' },
        { id: 'r2', name: 'acme', ssl_required: 'EXTERNAL' },
      ]),
    ];
    const { users } = readUsers(keycloak, tables, { settings: { realm: 'acme' } });
    expect(users.map(({ externalUserId }) => externalUserId)).toEqual(['u2']);
  });
});
