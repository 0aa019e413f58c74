import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/sources/containers/table.ts';
import type { Source } from '../../../src/sources/source.ts';
import { strapi } from '../../../src/sources/systems/backends.ts';
import { mediawiki } from '../../../src/sources/systems/content.ts';
import { postfixadmin } from '../../../src/sources/systems/postfixadmin.ts';
import { redmine } from '../../../src/sources/systems/team-tools.ts';
import { acceptedHash, NOW_MS, readUsers, tableOf } from './read-users.ts';

const DOMAIN = { emailDomain: 'example.com' };

function firstOf(source: Source, ...tables: readonly SourceRecord[][]) {
  const { users, dropped, advice } = readUsers(
    source,
    tables.map((records, index) => tableOf('sql', records, { name: `t${index}` })),
    { settings: source.settings === undefined ? {} : DOMAIN },
  );
  return { ...users[0], dropped, advice };
}

describe('Redmine', () => {
  const USER = {
    id: '5',
    login: 'ada',
    hashed_password: 'a5a6b477fcd85ca9c419d560b3b438dc35e0856d',
    salt: 's',
    status: '1',
    type: 'User',
    auth_source_id: null,
  };
  const ADDRESS = { user_id: '5', address: 'a@x.org', is_default: '1' };
  const read = (changes: SourceRecord, addresses: SourceRecord[] = [ADDRESS]) =>
    firstOf(redmine, [{ ...USER, ...changes }], addresses);

  it.each<[SourceRecord, unknown]>([
    [{}, undefined],
    ...['0', '2', '3'].map((status): [SourceRecord, string] => [{ status }, 'DISABLED']),
    [{ type: 'AnonymousUser' }, 'ANONYMOUS'],
    ...['Group', 'GroupNonMember'].map((type): [SourceRecord, string] => [{ type }, 'SERVICE_ACCOUNT']),
    [{ status: '' }, { column: 'status', word: '(empty)' }],
    [{ status: 'active' }, { column: 'status', word: 'active' }],
    [{ type: null }, { column: 'type', word: '(empty)' }],
    [{ type: 'Robot' }, { column: 'type', word: 'Robot' }],
  ])('reads the state of %j', (changes, state) => {
    expect(read(changes).state).toEqual(state);
  });

  it('users of LDAP have no password, whatever hash is left', () => {
    expect(read({ auth_source_id: '1' }).password).toBeUndefined();
    expect(acceptedHash(read({}).password).algorithm).toBe('redmine');
    expect(read({ hashed_password: 'x' }).password).toMatchObject({ problem: 'PASSWORD_HASH_INVALID' });
  });

  it('uses the default address', () => {
    const other = { ...ADDRESS, address: 'b@x.org', is_default: '0' };
    expect(read({}, [other, ADDRESS])).toMatchObject({ email: 'a@x.org', emails: ['a@x.org', 'b@x.org'] });
  });

  it('counts what is lost, and keeps no secret', () => {
    const user = read({ twofa_scheme: 'totp', twofa_totp_key: 'JBSW', must_change_passwd: '1', admin: 't' });
    expect(user.dropped).toEqual({ mfa: 1, roles: 1, 'forced password changes': 1 });
    expect(JSON.stringify(user.metadata)).not.toContain('JBSW');
  });

  it('stops without addresses', () => {
    expect(firstOf(redmine, [USER]).advice).toEqual([expect.stringContaining('stop: Table email_addresses')]);
    expect(firstOf(redmine, [{ ...USER, mail: 'a@x.org' }])).toMatchObject({ email: 'a@x.org', advice: [] });
  });
});

describe('MediaWiki', () => {
  const USER = {
    user_id: '5',
    user_name: 'Ada',
    user_password: ':B:s:h',
    user_email: 'a@x.org',
    user_email_authenticated: '20240131101112',
    user_token: 'x',
  };
  const stateWith = (...tables: SourceRecord[][]) => firstOf(mediawiki, [USER], ...tables).state;
  const BLOCK = { ipb_user: '5', ipb_sitewide: '1', ipb_expiry: 'infinity' };
  const stamp = (ms: number) => new Date(ms).toISOString().replace(/\D/g, '').slice(0, 14);

  it.each([
    [{}, 'DISABLED'],
    [{ ipb_expiry: stamp(NOW_MS + 1000) }, 'DISABLED'],
    [{ ipb_expiry: stamp(NOW_MS) }, undefined],
    [{ ipb_expiry: '2026-01-01 00:00:00+00' }, undefined],
    [{ ipb_expiry: null }, 'DISABLED'],
    [{ ipb_expiry: 'soon' }, 'DISABLED'],
    [{ ipb_sitewide: '0' }, undefined],
    [{ ipb_sitewide: '' }, 'DISABLED'],
    [{ ipb_sitewide: undefined }, 'DISABLED'],
    [{ ipb_user: '6' }, undefined],
  ])('a block %j: %s', (changes, state) => {
    expect(stateWith([{ ...BLOCK, ...changes }])).toBe(state);
  });

  it('any of several blocks counts, also from 1.42 on', () => {
    expect(stateWith([{ ...BLOCK, ipb_sitewide: '0' }, BLOCK])).toBe('DISABLED');
    const targets = [
      { bt_id: '8', bt_user: '5', bt_address: null },
      { bt_id: '9', bt_user: null, bt_address: '192.0.2.1' },
    ];
    const block = (target: string) => [{ bl_target: target, bl_sitewide: '1', bl_expiry: 'infinity' }];
    expect(stateWith(targets, block('8'))).toBe('DISABLED');
    expect(stateWith(targets, block('9'))).toBeUndefined();
    expect(stateWith(targets)).toBe('DISABLED');
  });

  it('system accounts are skipped', () => {
    expect(firstOf(mediawiki, [{ ...USER, user_token: `*** INVALID ***${'\0'.repeat(17)}` }]).state).toBe(
      'SERVICE_ACCOUNT',
    );
  });

  it('finds the second factors of version 1.39 in a file that names no table', () => {
    const factors = [{ id: '5', module: 'totp', data: '{"keys":[]}' }];
    const tables = [[USER], factors].map((records) => tableOf('csv', records));
    expect(readUsers(mediawiki, tables).dropped).toEqual({ mfa: 1 });
  });

  it('reads times, keeps no secrets, and counts what is lost', () => {
    const user = firstOf(
      mediawiki,
      [
        {
          ...USER,
          user_registration: '20240131101112',
          user_newpassword: ':B:t:secret',
          user_password_expires: '20240101000000',
        },
      ],
      [{ oad_user: '5', oad_data: 'secret' }],
      [{ ug_user: '5', ug_group: 'sysop' }],
    );
    expect(user).toMatchObject({ isVerified: true, timeJoinedMs: Date.UTC(2024, 0, 31, 10, 11, 12) });
    expect(user.dropped).toEqual({ mfa: 1, roles: 1, 'forced password changes': 1 });
    expect(JSON.stringify(user)).not.toContain('secret');
  });
});

describe('PostfixAdmin', () => {
  const USER = {
    username: 'a@x.org',
    password: '$1$s$h',
    maildir: 'm',
    quota: '0',
    domain: 'x.org',
    active: '1',
  };
  const read = (changes: SourceRecord, domains: SourceRecord[] = []) =>
    firstOf(postfixadmin, [{ ...USER, ...changes }], ...(domains.length > 0 ? [domains] : []));

  it.each<[unknown, string | undefined]>([
    ['1', undefined],
    ['t', undefined],
    ...['0', 'f', '', null, 'suspended'].map((active): [unknown, string] => [active, 'DISABLED']),
  ])('active %j: %s', (active, state) => {
    const own = active === 'suspended' ? { column: 'active', word: active } : state;
    expect(read({ active }).state).toEqual(own);
    expect(read({}, [{ domain: 'x.org', backupmx: '0', active }]).state).toBe(state);
  });

  it.each([
    ['$6$s$h', 'sha512-crypt'],
    ['0123456789abcdef0123456789abcdef', 'hex-md5'],
    ['{SHA512-CRYPT}$6$s$h', 'dovecot'],
    ['secret', undefined],
  ])('reads the hash %s', (password, algorithm) => {
    expect(read({ password }).password).toEqual({ encoded: password, algorithm });
  });

  it('reads passwords in the clear only if the operator says so, and never a hash as one', () => {
    const inTheClear = (password: string) =>
      readUsers(postfixadmin, [tableOf('sql', [{ ...USER, password }], { name: 'mailbox' })], {
        settings: { plainTextPasswords: 'yes' },
      }).users[0];
    for (const plainText of ['secret', "!it's \\ *", '*', 'x', 'xwSl90GIjG.PQ'])
      expect(inTheClear(plainText)).toMatchObject({ password: { plainText }, state: undefined });
    for (const hash of ['$1$s$h', '{SHA}x', '0123456789abcdef0123456789abcdef'])
      expect(inTheClear(hash)?.password).toMatchObject({ encoded: hash });
    expect(inTheClear('!$1$s$h')).toMatchObject({ password: { encoded: '$1$s$h' }, state: 'DISABLED' });
    expect(inTheClear('')?.password).toBeUndefined();
    expect(read({ password: 'secret' }).password).toEqual({ encoded: 'secret' });
  });

  it('reads a hash in base64', () => {
    const password = `{SHA512-CRYPT.B64}${Buffer.from('$6$s$h').toString('base64')}`;
    expect(read({ password }).password).toEqual({ encoded: '{SHA512-CRYPT}$6$s$h', algorithm: 'dovecot' });
  });

  it('reads a lock before the hash, and counts tokens', () => {
    expect(read({ password: '!$1$s$h' })).toMatchObject({
      state: 'DISABLED',
      password: { encoded: '$1$s$h' },
    });
    expect(JSON.stringify(read({ token: 'secret' }))).not.toContain('secret');
    expect(read({ phone: '555', password_expiry: '2024-01-01 00:00:00' }).dropped).toEqual({
      'phone numbers': 1,
      'forced password changes': 1,
    });
    expect(read({ password_expiry: '2000-01-01 00:00:00' }).dropped).toEqual({});
  });
});

describe('A row of SQL that leaves a column to its default', () => {
  const STRAPI = { id: '1', username: 'ada', email: 'a@x.org', provider: 'local', password: '$2a$10$x' };
  const read = (container: 'sql' | 'json', ...changes: SourceRecord[]) => {
    const records = [
      { ...STRAPI, confirmed: '1', blocked: '0' },
      ...changes.map((one) => ({ ...STRAPI, ...one })),
    ];
    return readUsers(strapi, [tableOf(container, records, { name: 'up_users' })]).users.map(
      ({ state }) => state,
    );
  };

  it('is not enabled because of that', () => {
    expect(read('sql', { confirmed: '1' })).toEqual([undefined, { column: 'blocked', word: '(default)' }]);
    expect(read('sql', { confirmed: '1', blocked: '1' })).toEqual([undefined, 'DISABLED']);
    expect(read('json', { confirmed: '1' })).toEqual([undefined, undefined]);
  });
});
