import { describe, expect, it } from 'vitest';
import { nhost, strapi } from '../../../src/sources/systems/backends.ts';
import { discourse } from '../../../src/sources/systems/discourse.ts';
import { drupal } from '../../../src/sources/systems/drupal.ts';
import { ghost } from '../../../src/sources/systems/ghost.ts';
import { magento } from '../../../src/sources/systems/shops.ts';
import { formNamed, headOf, NOW_MS, readOne, readUsers, tableOf } from './read-users.ts';

const BCRYPT = '$2a$10$LUm9i.gjxtyQVHwiIjLAgeLqninW4MecNQofr.eifN4I0JX7gw2Bu';

describe('Nhost', () => {
  const user = { id: 'u1', email: 'a@x', password_hash: BCRYPT, email_verified: 't', default_role: 'user' };
  const provider = { user_id: 'u1', provider_id: 'github', provider_user_id: '7' };

  it('reads CSV of both tables', () => {
    const { form, users } = readUsers(nhost, [tableOf('csv', [user]), tableOf('csv', [provider])]);
    expect(form.name).toBe('nhost-csv');
    expect(users).toMatchObject([
      {
        isVerified: true,
        password: { algorithm: 'bcrypt' },
        identities: [{ provider: 'github', userId: '7' }],
      },
    ]);
  });

  it('counts what cannot be imported', () => {
    const others = { ...user, phone_number: '+49', active_mfa_type: 'totp' };
    const nobody = { ...provider, provider_user_id: null };
    const roles = tableOf('sql', [], { name: 'auth.user_roles' });
    const { users, dropped, advice } = readUsers(nhost, [
      tableOf('csv', [others]),
      tableOf('csv', [nobody]),
      roles,
    ]);
    expect(dropped).toEqual({ 'phone numbers': 1, mfa: 1, 'identities without an id': 1 });
    expect(users[0]?.hasPhone).toBe(true);
    expect(advice).toEqual([expect.stringMatching(/^note: Roles/)]);
  });
});

describe('Strapi', () => {
  it('reads times of SQLite, and users of version 3 in MongoDB', () => {
    const record = { username: 'a', email: 'a@x', provider: 'local', confirmed: '1', blocked: '0' };
    const sqlite = tableOf('sql', [{ ...record, id: '1', created_at: '1501430000789' }], {
      name: 'up_users',
    });
    expect(readOne(strapi, sqlite)).toMatchObject({ timeJoinedMs: 1_501_430_000_789, isVerified: true });
    const mongo = tableOf('json', [
      { ...record, _id: 'x', createdAt: '2017-07-30T15:53:20.789Z', password: BCRYPT },
    ]);
    expect(readOne(strapi, mongo)).toMatchObject({ externalUserId: 'x', timeJoinedMs: 1_501_430_000_789 });
  });

  it('gives advice that its API shows no hashes, and which users are staff', () => {
    const api = { id: 1, username: 'a', email: 'a@x', provider: 'google', confirmed: true, blocked: true };
    const { users, dropped, advice } = readUsers(strapi, [
      tableOf('json', [api]),
      tableOf('sql', [], { name: 'public.admin_users' }),
    ]);
    expect(users[0]?.state).toBe('DISABLED');
    expect(dropped).toEqual({ 'identities without an id': 1 });
    expect(advice.map((text) => text.slice(0, 24))).toEqual([
      'warn: There is no column',
      'note: The table admin_us',
    ]);
  });
});

describe('Discourse', () => {
  const user = { id: '1', username: 'a', active: 't', staged: 'f', suspended_till: null };

  it('reads hashes in the users table, where they were before 2025', () => {
    const hash = { email: 'a@x', password_hash: 'ff', salt: 'ab' };
    const read = (more: object) =>
      readOne(discourse, tableOf('sql', [{ ...user, ...hash, ...more }], { name: 'users' }));
    expect(read({}).password).toEqual({ encoded: '$pbkdf2-sha256$i=64000,l=1$YWI$/w', algorithm: 'pbkdf2' });
    const told = read({ password_algorithm: '$pbkdf2-sha512$i=7,l=1$' });
    expect(told.password).toMatchObject({ encoded: '$pbkdf2-sha512$i=7,l=1$YWI$/w' });
    expect(told.email).toBe('a@x');
  });

  it.each([
    ['an algorithm that is not known', { password_algorithm: '$argon2$' }, 'HASH_ALGORITHM_UNKNOWN'],
    ['no salt', { salt: null }, 'PASSWORD_HASH_INVALID'],
    ['digits that are none', { password_hash: 'fg' }, 'PASSWORD_HASH_INVALID'],
  ])('refuses a hash with %s', (_, more, problem) => {
    const record = { ...user, password_hash: 'ff', salt: 'ab', ...more };
    expect(readOne(discourse, tableOf('csv', [record])).password).toMatchObject({ problem });
  });

  it.each(['2024-01-01 00:00:00', '01/02/2024 00:00:00'])('rejects a password that expired at %s', (time) => {
    const expired = {
      user_id: '1',
      password_hash: 'ff',
      password_salt: 'ab',
      password_expired_at: time,
    };
    const { users } = readUsers(discourse, [tableOf('csv', [user]), tableOf('csv', [expired])]);
    expect(users[0]?.password).toBeUndefined();
  });

  it('recognises ended bans, system accounts, and users with a role', () => {
    const over = { ...user, suspended_till: '2020-01-01 00:00:00', admin: 't' };
    const { users, dropped } = readUsers(discourse, [tableOf('csv', [over, { ...user, id: '-1' }])]);
    expect(users.map(({ state }) => state)).toEqual([undefined, 'SERVICE_ACCOUNT']);
    expect(dropped).toEqual({ roles: 1 });
  });

  it('puts the primary address first', () => {
    const emails = [
      { user_id: '1', email: 'b@x', primary: 'f' },
      { user_id: '1', email: 'a@x', primary: 't' },
    ];
    const { users } = readUsers(discourse, [tableOf('csv', [user]), tableOf('csv', emails)]);
    expect(users).toMatchObject([{ email: 'a@x', emails: ['a@x', 'b@x'] }]);
  });

  it('names missing tables', () => {
    const { advice } = readUsers(discourse, [tableOf('sql', [user], { name: 'public.users' })]);
    expect(advice.map((text) => text.split(' is missing')[0])).toEqual([
      'stop: The table user_emails',
      'warn: The table user_passwords',
    ]);
    const { reviewables, user_second_factors } = formNamed(discourse, 'discourse-pg_dump').details ?? {};
    expect([reviewables?.decides, user_second_factors?.decides]).toEqual(['states', 'factors']);
  });

  it('gives advice that the list of the admin page has no hashes', () => {
    const listed = { ...user, name: 'A', email: 'a@x', trust_level: '1', title: '' };
    const { form, advice, users } = readUsers(discourse, [tableOf('csv', [listed])]);
    expect(form.name).toBe('discourse-admin-csv');
    expect(advice).toEqual([expect.stringMatching(/^warn: The list of users/)]);
    expect(users[0]?.email).toBe('a@x');
  });
});

describe('Drupal', () => {
  const user = { uid: '7', name: 'a', mail: 'a@x', status: '1', created: '1500000000' };

  it.each([
    ['$S$Dd1O', { encoded: '$S$Dd1O', algorithm: 'drupal7' }],
    ['U$S$9Dd', { encoded: 'U$S$9Dd', algorithm: 'drupal7' }],
    ['U$P$9Dd', { encoded: 'U$P$9Dd', algorithm: 'drupal7' }],
    ['$P$6KFJ', { encoded: '$P$6KFJ', algorithm: 'phpass' }],
    [
      '8097dc84b33c9fbe3cd4ea41ab3d837f',
      { encoded: '8097dc84b33c9fbe3cd4ea41ab3d837f', algorithm: 'hex-md5' },
    ],
    ['U$2y$10$x', { encoded: '$2y$10$x', algorithm: 'bcrypt-md5' }],
    ['$2y$10$x', { encoded: '$2y$10$x', algorithm: 'bcrypt' }],
    ['', undefined],
    [null, undefined],
  ])('recognises the family of %j', (pass, password) => {
    expect(readOne(drupal, tableOf('csv', [{ ...user, pass }])).password).toEqual(password);
  });

  it('reads `users` of 7 and 6, also with a prefix', () => {
    const record = { ...user, pass: '', status: '0' };
    const old = tableOf('sql', [record], { name: 'shop_users' });
    expect(readOne(drupal, old)).toMatchObject({ state: 'DISABLED', timeJoinedMs: 1_500_000_000_000 });
  });

  it('reads a user once, whatever languages there are', () => {
    const record = { ...user, pass: '' };
    const rows = [
      { ...record, langcode: 'de', default_langcode: '0' },
      { ...record, langcode: 'en', default_langcode: '1' },
    ];
    const table = tableOf('sql', rows, { name: 'users_field_data' });
    expect(readUsers(drupal, [table]).users.length).toBe(1);
  });
});

describe('Magento', () => {
  const SHA256 = 'ab'.repeat(32);
  const customer = { entity_id: '1', email: 'a@x', website_id: '1' };

  it('finds the hashes of Magento 1 in the attributes of customers', () => {
    const attributes = [
      { entity_id: '1', attribute_id: '5', value: 'Ada' },
      { entity_id: '1', attribute_id: '12', value: 'a92978f422bb000ef26e5037c832bb08:OA' },
      { entity_id: '1', attribute_id: '13', value: 'a92978f422bb000ef26e5037c832bb08' },
    ];
    const { users, advice } = readUsers(magento, [
      tableOf('sql', [customer], { name: 'mage_customer_entity' }),
      tableOf('sql', attributes, { name: 'mage_customer_entity_varchar' }),
    ]);
    expect(users).toMatchObject([{ password: { encoded: attributes[1]?.value, algorithm: 'magento1' } }]);
    expect(advice).toEqual([]);
  });

  it('asks about attributes that the shop has added, in the tables of all types', () => {
    const form = formNamed(magento, 'magento-mysqldump');
    const { attributes } = form.details ?? {};
    for (const type of ['varchar', 'int', 'datetime', 'text', 'decimal']) {
      const columns = ['value_id', 'entity_id', 'attribute_id', 'value'];
      expect(
        attributes?.fits(headOf([], { container: 'sql', name: `mage_customer_entity_${type}`, columns })),
      ).toBe(true);
    }
    expect(['5', '44', '45', '163'].map((number) => attributes?.keys?.isKnown(number))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('gives advice where hashes are, and which users are staff', () => {
    const { advice } = readUsers(magento, [
      tableOf('sql', [customer], { name: 'customer_entity' }),
      tableOf('sql', [], { name: 'admin_user' }),
    ]);
    expect(advice.map((text) => text.slice(0, 4))).toEqual(['warn', 'note']);
  });

  it.each([
    [
      `${SHA256}:salt`,
      { encoded: `$salted-sha256$o=sp$c2FsdA==$${'q6ur'.repeat(10)}q6s=`, algorithm: 'salted-sha256' },
    ],
    [
      '8097dc84b33c9fbe3cd4ea41ab3d837f',
      { encoded: '8097dc84b33c9fbe3cd4ea41ab3d837f', algorithm: 'hex-md5' },
    ],
    [SHA256, { encoded: SHA256, algorithm: 'hex-sha256' }],
    [`${SHA256}:salt:3_32_2_67108864`, { encoded: `${SHA256}:salt:3_32_2_67108864`, algorithm: 'magento2' }],
    [BCRYPT, { encoded: BCRYPT, algorithm: 'bcrypt' }],
    ['abc', { encoded: 'abc' }],
    [null, undefined],
  ])('recognises the family of %j', (password_hash, password) => {
    const table = tableOf('json', [{ ...customer, password_hash }]);
    expect(readOne(magento, table).password).toEqual(password);
  });

  it('counts temporary locks, and skips inactive users', () => {
    const soon = new Date(NOW_MS + 3_600_000).toISOString();
    const record = { ...customer, lock_expires: soon, is_active: '0', confirmation: '' };
    const { users, dropped } = readUsers(magento, [tableOf('csv', [record])]);
    expect(users).toMatchObject([{ state: 'DISABLED', isVerified: true }]);
    expect(dropped).toEqual({ 'temporary locks': 1 });
  });

  it('reads the file of customers that the shop exports', () => {
    const record = {
      email: 'a@x',
      _website: 'base',
      password_hash: `${SHA256}:s:1`,
      group_id: '1',
      confirmation: 'k',
    };
    const { form, users } = readUsers(magento, [tableOf('csv', [record])]);
    expect(form.name).toBe('magento-customers-csv');
    expect(users).toMatchObject([{ isVerified: false, metadata: { website_id: 'base' } }]);
  });
});

describe('Ghost', () => {
  it('reads staff from a database, and members who left', () => {
    const staff = {
      id: '1',
      slug: 'a',
      email: 'a@x',
      password: BCRYPT,
      status: 'warn-1',
      visibility: 'public',
    };
    const table = tableOf('sql', [staff], { name: 'ghost.users' });
    expect(readOne(ghost, table)).toMatchObject({ state: undefined, password: { algorithm: 'bcrypt' } });
    const member = {
      email: 'a@x',
      complimentary_plan: '',
      stripe_customer_id: '',
      created_at: '',
      subscribed: 't',
    };
    const gone = tableOf('csv', [{ ...member, deleted_at: '2024-01-01T00:00:00Z' }]);
    expect(readOne(ghost, gone).state).toBe('DELETED');
  });
});
