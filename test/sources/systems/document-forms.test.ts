import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/sources/containers/table.ts';
import { parse } from '../../../src/sources/systems/backends.ts';
import { ldif } from '../../../src/sources/systems/ldif.ts';
import { meteor } from '../../../src/sources/systems/meteor.ts';
import { passportLocalMongoose } from '../../../src/sources/systems/passport-local-mongoose.ts';
import { shadow } from '../../../src/sources/systems/unix.ts';
import { fileOf } from '../containers/read-whole.ts';
import { findForm, readOne, readUsers, tableOf, tablesIn } from './read-users.ts';

const json = (...records: SourceRecord[]) => tableOf('json', records);

describe('Parse', () => {
  it('reads the output of the REST API, with advice that it has no hashes', () => {
    const record = {
      objectId: 'x',
      username: 'a',
      email: 'a@x',
      createdAt: '2020-08-15T19:27:46.789Z',
      updatedAt: '2020-08-15T19:27:46.789Z',
      sessionToken: 'r:1',
      authData: { facebook: { id: 7 }, github: null, mfa: {}, twitter: {} },
      plan: 'pro',
    };
    const { form, users, dropped, advice } = readUsers(parse, [json(record)]);
    expect(form.name).toBe('parse-rest');
    expect(users).toMatchObject([
      {
        externalUserId: 'x',
        timeJoinedMs: 1_597_519_666_789,
        identities: [{ provider: 'facebook', userId: '7' }],
        metadata: { username: 'a' },
      },
    ]);
    expect(dropped).toEqual({ mfa: 1, 'identities without an id': 1 });
    expect(advice).toEqual([expect.stringMatching(/^warn: The REST API/)]);
  });

  it('reads `_User` of PostgreSQL without advice', () => {
    const record = {
      objectId: 'x',
      username: 'a',
      _hashed_password: '$2y$x',
      authData: '{"google":{"id":"7"}}',
    };
    const { users, advice } = readUsers(parse, [tableOf('sql', [record], { name: 'public._User' })]);
    expect(users).toMatchObject([{ identities: [{ provider: 'google', userId: '7' }] }]);
    expect(advice).toEqual([]);
  });

  it('rejects other classes, and Backendless', () => {
    expect(
      findForm(parse, [json({ objectId: 'x', createdAt: '', updatedAt: '', title: 't' })]),
    ).toBeUndefined();
    expect(
      findForm(parse, [json({ objectId: 'x', username: 'a', email: 'a@x', created: 1 })]),
    ).toBeUndefined();
  });

  it('uses a name as address only if it is one, and treats nobody as verified if others are marked', () => {
    const kept = { _id: '1', _created_at: '', _acl: {} };
    const { users } = readUsers(parse, [
      json({ ...kept, username: 'a', emailVerified: true }, { ...kept, username: 'b@x' }),
    ]);
    expect(users.map(({ email, isVerified }) => [email, isVerified])).toEqual([
      [undefined, true],
      ['b@x', false],
    ]);
  });
});

describe('Meteor', () => {
  const read = (record: SourceRecord) => {
    const known = { _id: '0', services: { resume: {} }, emails: [] };
    return readUsers(meteor, [json(known, { _id: '1', ...record })]);
  };

  it('reads accounts at providers, with enterprise accounts separate', () => {
    const services = {
      github: { id: 7, email: 'g@x' },
      ldap: { id: 'cn=a' },
      twitter: { name: 'x' },
      resume: {},
    };
    const { users, dropped } = read({ services, roles: ['admin'] });
    expect(users[1]).toMatchObject({
      email: 'g@x',
      identities: [
        { provider: 'github', userId: '7', email: 'g@x' },
        { provider: 'ldap', userId: 'cn=a', isSso: true },
      ],
    });
    expect(dropped).toEqual({ 'identities without an id': 1, roles: 1 });
  });

  it.each([
    [{ type: 'user', active: true }, undefined],
    [{ type: 'user', active: false }, 'DISABLED'],
    [{ active: undefined }, 'DISABLED'],
    [{ type: 'user', active: true, federated: true }, 'DISABLED'],
    [{ type: 'bot', active: true }, 'SERVICE_ACCOUNT'],
    [
      { type: 'robot', active: true },
      { column: 'type', word: 'robot' },
    ],
  ])('knows who may sign in to Rocket.Chat: %j', (record, state) => {
    const known = { _id: '0', services: { resume: {} }, emails: [], type: 'user', active: true };
    const { users } = readUsers(meteor, [json(known, { ...known, _id: '1', ...record })]);
    expect(users[1]?.state).toEqual(state);
  });

  it("knows no state of an application's own members, which are asked about", () => {
    expect(meteor.forms[1]?.known).not.toContain('active');
    expect(meteor.forms[1]?.known).not.toContain('account');
    expect(meteor.forms[0]?.known).toContain('active');
  });

  it('names the hash, or the reason why there is none', () => {
    const passwordOf = (password: unknown) => read({ services: { password } }).users[1]?.password;
    expect(passwordOf({ bcrypt: '$2b$x' })).toEqual({ encoded: '$2b$x', algorithm: 'bcrypt-sha256' });
    expect(passwordOf({ argon2: '$argon2id$x' })).toMatchObject({ algorithm: 'argon2-sha256' });
    expect(passwordOf({ srp: {} })).toMatchObject({ problem: 'HASH_ALGORITHM_UNKNOWN' });
    expect(passwordOf({ reset: { token: 't' } })).toBeUndefined();
  });

  it('rejects documents whose services mean something else', () => {
    expect(findForm(meteor, [json({ _id: '1', services: ['mail'], createdAt: '' })])).toBeUndefined();
    expect(
      findForm(meteor, [json({ _id: '1', services: { password: 'x' }, username: 'a' })]),
    ).toBeUndefined();
  });
});

describe('passport-local-mongoose', () => {
  const record = {
    _id: '597efc9d44805202b61211c2',
    __v: 0,
    username: 'a@x',
    salt: 'ab'.repeat(32),
    hash: 'ff00',
  };
  const read = (settings: Record<string, string>, more: SourceRecord = {}) =>
    readUsers(passportLocalMongoose, [json(record, { ...record, ...more })], { settings });

  it('uses the options of the plug-in', () => {
    const salt = Buffer.from(record.salt).toString('base64').replaceAll('=', '');
    const { users, advice } = read({ digest: 'SHA-1', iterations: '12000', keylen: '2' });
    expect(users[0]).toMatchObject({ email: 'a@x', timeJoinedMs: 1_501_494_429_000 });
    expect(users[0]?.password).toMatchObject({ encoded: `$pbkdf2-sha1$i=12000,l=2$${salt}$/wA` });
    expect(advice).toEqual([expect.stringMatching(/^warn: .*sha1 and 12000 iterations are taken/)]);
  });

  it.each([{ digest: 'whirlpool' }, { iterations: '0' }, { iterations: '1e9' }, { keylen: 'x' }])(
    'stops at invalid options: %j',
    (settings) => {
      const { users, advice } = read(settings as Record<string, string>);
      expect(users[0]?.password).toMatchObject({ problem: 'PASSWORD_HASH_INVALID' });
      expect(advice).toEqual([expect.stringMatching(/^stop: No hash can be read: the setting/)]);
    },
  );

  it.each([
    [{ hash: 'fg' }, {}],
    [{ hash: 'fff' }, {}],
    [{ hash: 'ab.=' }, {}],
    [{ salt: '' }, {}],
    [{}, { keylen: '512' }],
  ])('refuses %j', (more, settings) => {
    expect(read(settings as Record<string, string>, more).users[1]?.password).toMatchObject({
      problem: 'PASSWORD_HASH_INVALID',
    });
  });

  it('rejects hexadecimal digits of other applications', () => {
    const tutorial = { _id: '1', username: 'a', hash: 'ab'.repeat(64), salt: 'cd'.repeat(16) };
    expect(findForm(passportLocalMongoose, [json(tutorial)])).toBeUndefined();
    expect(findForm(passportLocalMongoose, [json({ ...record, hash: BCRYPT })])).toBeUndefined();
  });
});

describe('a system that the operator names', () => {
  it.each([
    [meteor, { _id: '1', services: {}, username: 'a' }],
    [passportLocalMongoose, { username: 'a', hash: 'ff', salt: 'ab' }],
  ])('$name needs no further evidence', (source, record) => {
    const { head } = json(record);
    const isUsers = (isNamed: boolean) =>
      source.forms.some((form) => form.isUsers(head, {}, { tables: [head], isNamed }));
    expect([isUsers(false), isUsers(true)]).toEqual([false, true]);
  });
});

const BCRYPT = '$2b$05$y097fnk/q2rPN6YiHfg0be.oe.aFfNT9aQhDqkU14xcSE5mA6jxJq';

describe('LDIF', () => {
  const read = (record: Record<string, string[]>) =>
    readUsers(ldif, [tableOf('ldif', [{ dn: ['uid=a'], mail: ['a@x'], ...record }])]);

  it('takes the first supported value, and counts the others', () => {
    const { users, dropped } = read({ userpassword: ['{SASL}a@X', '', '{ssha}abc', 'clear'] });
    expect(users[0]?.password).toEqual({ encoded: '{ssha}abc', algorithm: 'ldap-ssha' });
    expect(dropped).toEqual({ 'further hashes': 2 });
  });

  it('gives the reason if no value is supported, without the value', () => {
    const { users } = read({ userpassword: ['{SASL}a@X', '{secret}b'] });
    expect(users[0]?.password).toEqual({
      problem: 'HASH_ALGORITHM_UNKNOWN',
      message: '{SASL} leaves the password to another system: there is no hash',
    });
    expect(JSON.stringify(read({ userpassword: ['{secret}b'] }).users)).not.toContain('secret');
  });

  it.each([
    ['{CRYPT}$6$x', { encoded: '{CRYPT}$6$x', algorithm: 'ldap-crypt' }],
    ['{ARGON2}$argon2id$x', { encoded: '$argon2id$x', algorithm: 'argon2' }],
    [`{bcrypt}${BCRYPT}`, { encoded: BCRYPT, algorithm: 'bcrypt' }],
    ['{SHA256}abc', { encoded: '{SHA256}abc', algorithm: 'ldap-sha2' }],
    ['{PBKDF2-SHA512}1$x', { encoded: '{PBKDF2-SHA512}1$x', algorithm: undefined }],
    ['{CLEARTEXT}!secret', { plainText: '!secret' }],
    ['pass{word}', { plainText: 'pass{word}' }],
    ['#{SSHA}abc', { problem: 'PASSWORD_HASH_INVALID', message: expect.any(String) }],
    ['disabled{SSHA}abc', { problem: 'PASSWORD_HASH_INVALID', message: expect.any(String) }],
    ['off {NEW}abcdefghijklmnop', { problem: 'PASSWORD_HASH_INVALID', message: expect.any(String) }],
    ['5f4dcc3b5aa765d61d8327deb882cf99', { problem: 'PASSWORD_HASH_INVALID', message: expect.any(String) }],
    ['$6$abc$x', { problem: 'PASSWORD_HASH_INVALID', message: expect.any(String) }],
    ['SSHA}abc', { problem: 'PASSWORD_HASH_INVALID', message: expect.any(String) }],
    ['W6ph5Mm5Pz8GgiULbPgzG37mj9g=', { problem: 'PASSWORD_HASH_INVALID', message: expect.any(String) }],
    ['korrekt-pferd-batterie-heftklammer', { plainText: 'korrekt-pferd-batterie-heftklammer' }],
    ['*LK*', undefined],
    ['NoLogin', undefined],
    ['{CRYPT}*', undefined],
    ['{CRYPT}!', undefined],
    ['{SSHA}', undefined],
  ])('reads %s', (value, password) => {
    const [user] = read({ userpassword: [value] }).users;
    expect(user?.password).toEqual(password);
    expect(user?.state).toBeUndefined();
  });

  it.each([
    [{ userpassword: ['{CRYPT}!$6$x'] }],
    [{ pwdaccountlockedtime: ['000001010000Z'] }],
    [{ nsaccountlock: ['TRUE'] }],
    [{ useraccountcontrol: ['514'] }],
    [{ logindisabled: ['true'] }],
    [{ 'ds-pwp-account-disabled': ['true'] }],
    [{ sambaacctflags: ['[DU         ]'] }],
    [{ shadowexpire: ['1'] }],
    [{ pwdendtime: ['20200101000000Z'] }],
    [{ accountunlocktime: ['20990101000000Z'] }],
    [{ accountunlocktime: ['19700101000000Z'] }],
    [{ accountexpires: ['131000000000000000'] }],
    [{ shadowlastchange: ['18000'], shadowmax: ['90'], shadowinactive: ['30'] }],
    [{ objectclass: ['top', 'posixAccount'], loginshell: ['/sbin/nologin'] }],
    [{ objectclass: ['POSIXACCOUNT'], loginshell: ['/bin/false'] }],
    [{ objectclass: ['posixAccount'], loginshell: ['/bin/bash', '/SBIN/NOLOGIN'] }],
    [{ userpassword: ['!{SSHA}eHh4eHh4eHh4eHh4eHh4'] }],
    [{ userpassword: ['**{crypt}$6$x'] }],
    [{ nsrole: ['cn=staff,dc=x', 'cn=nsDisabledRole,dc=x'] }],
  ])('skips locked users: %j', (record) => {
    expect(read(record as Record<string, string[]>).users[0]?.state).toBe('DISABLED');
  });

  it.each([
    [{ sambaacctflags: ['[U          ]'] }],
    [{ shadowexpire: ['-1'] }],
    [{ shadowexpire: ['99999'] }],
    [{ pwdendtime: ['21200101000000Z'] }],
    [{ accountexpires: ['0'] }],
    [{ accountexpires: ['9223372036854775807'] }],
    [{ shadowlastchange: ['18000'], shadowmax: ['90'] }],
    [{ shadowlastchange: ['18000'], shadowmax: ['99999'], shadowinactive: ['30'] }],
    [{ shadowlastchange: ['18000'], shadowmax: ['90'], shadowinactive: ['-1'] }],
    [{ shadowlastchange: ['0'], shadowmax: ['90'], shadowinactive: ['30'] }],
    [{ objectclass: ['posixAccount'], loginshell: ['/bin/sh'] }],
    [{ objectclass: ['person'], loginshell: ['/bin/false'] }],
  ])('lets others in: %j', (record) => {
    expect(read(record as Record<string, string[]>).users[0]?.state).toBeUndefined();
  });

  it.each([
    [{ objectclass: ['posixAccount'], loginshell: ['/opt/nologin.sh'] }, 'loginshell', '/opt/nologin.sh'],
    [{ nsroledn: ['cn=staff,dc=x'] }, 'nsroledn', 'cn=staff,dc=x'],
  ])('asks about %j', (record, column, word) => {
    expect(read(record as Record<string, string[]>).users[0]?.state).toEqual({ column, word });
  });

  it('reads which roles are disabled, wherever the entry of the role stands', async () => {
    const person = (uid: string, role: string) =>
      `dn: uid=${uid}\nmail: ${uid}@x\nuserPassword: {SSHA}abc\nnsRoleDN: ${role}\n\n`;
    const role =
      'dn: cn=nsDisabledRole,dc=x\nnsRoleDN: cn=nsManagedDisabledRole,dc=x\nnsRoleDN: cn=leavers,dc=x\n\n';
    const file = fileOf(person('a', 'CN=leavers, DC=x') + person('b', 'cn=staff,dc=x') + role);
    const { users } = readUsers(ldif, await tablesIn(file));
    expect(users.map(({ state }) => state)).toEqual([
      'DISABLED',
      { column: 'nsroledn', word: 'cn=staff,dc=x' },
    ]);
  });

  it.each([
    [{}, ['stop']],
    [{ mail: ['b@x'], entryuuid: ['x'] }, ['stop']],
    [{ creatorsname: ['cn=x'] }, []],
    [{ useraccountcontrol: ['512'] }, []],
  ])('asks unless operational attributes are shown: %j', (record, levels) => {
    const { advice } = read({ userpassword: ['{SSHA}x'], ...record });
    expect(advice.map((text) => text.slice(0, 4))).toEqual(levels);
  });

  it('takes --without-table operational as the answer', () => {
    const table = tableOf('ldif', [{ dn: ['uid=a'], mail: ['a@x'], userpassword: ['{SSHA}x'] }]);
    const { advice } = readUsers(ldif, [table], { settings: { withoutTable: 'x,operational' } });
    expect(advice).toEqual([expect.stringMatching(/^warn: The first entries have no operational/)]);
  });

  it('names the places of the directory if people stand in several', () => {
    const entry = (dn: string) => ({ dn: [dn], userpassword: ['{SSHA}x'], creatorsname: ['cn=x'] });
    const adviceOn = (...dns: string[]) => readUsers(ldif, [tableOf('ldif', dns.map(entry))]).advice;
    expect(adviceOn('cn=B\\, A,ou=people,dc=x', 'uid=b,ou=people,dc=x')).toEqual([]);
    expect(adviceOn('uid=a,ou=people,dc=x', 'uid=b,ou=former,dc=x')).toEqual([
      expect.stringMatching(/^warn: .* ou=people,dc=x; ou=former,dc=x\./),
    ]);
  });

  it.each(['employeetype', 'employeestatus', 'organizationalstatus'])('asks about %s', (name) => {
    const known = ldif.forms.map((form) => form.known);
    expect(known.map((names) => names instanceof Set && names.has(name))).toEqual([false]);
    expect(known.map((names) => names instanceof Set && names.has('employeenumber'))).toEqual([true]);
  });

  it('uses the dn as id, keeps all addresses, and sets no state without attributes', () => {
    const { users, dropped, advice } = read({
      mail: ['a@x', 'b@x'],
      mobile: ['1'],
      memberof: ['cn=x'],
    });
    expect(users[0]).toMatchObject({
      externalUserId: 'uid=a',
      email: 'a@x',
      emails: ['a@x', 'b@x'],
      state: undefined,
    });
    expect(dropped).toEqual({ 'phone numbers': 1, roles: 1 });
    expect(advice.map((text) => text.slice(0, 46))).toEqual([
      'warn: The first entries have no userPassword. ',
      'stop: The first entries have no operational at',
    ]);
  });
});

describe('shadow', () => {
  const read = (record: SourceRecord, settings = { emailDomain: '@example.com' }) =>
    readOne(shadow, tableOf('shadow', [{ name: 'ada', ...record }]), settings);

  it.each([
    ['$6$s$h', 'sha512-crypt'],
    ['$y$j9T$s$h', 'yescrypt'],
    ['$gy$j9T$s$h', 'gost-yescrypt'],
    [BCRYPT, 'bcrypt'],
    ['$1$s$h', 'md5-crypt'],
    ['$md5,rounds=1$s$$h', 'sun-md5'],
    ['abJnggxhB/yWI', 'des-crypt'],
    ['_J9..K0AyUubDrfOgO4s', 'bsdi-crypt'],
    ['$argon2id$x', undefined],
  ])('recognises the family of %s', (hash, algorithm) => {
    expect(read({ hash }).password).toEqual({ encoded: hash, algorithm });
    expect(read({ hash }).email).toBe('ada@example.com');
  });

  it.each(['', '*', '!', '!!', '!*', '*LK*', 'NP', 'x'])('finds no hash in %j', (hash) => {
    const { password, email, state } = read({ hash });
    expect([password, email, state]).toEqual([undefined, undefined, 'NO_LOGIN_METHOD']);
  });

  it('skips users who are locked, or whose account has expired', () => {
    expect(read({ hash: '*LK*$5$s$h' }).state).toBe('DISABLED');
    expect(read({ hash: '!!$6$s$h' })).toMatchObject({ state: 'DISABLED', password: { encoded: '$6$s$h' } });
    expect(read({ hash: '$6$s$h', expires: '19000' }).state).toBe('DISABLED');
    expect(read({ hash: '$6$s$h', expires: '99999' }).state).toBeUndefined();
    expect(read({ hash: '$6$s$h', expires: '' }).state).toBeUndefined();
  });

  it.each([{}, { emailDomain: '' }, { emailDomain: 'a b.c' }, { emailDomain: 'localhost' }])(
    'needs a domain: %j',
    (settings) => {
      const table = tableOf('shadow', [{ name: 'ada', hash: '$6$s$h' }]);
      const { users, advice } = readUsers(shadow, [table], settings as Record<string, string>);
      expect(users[0]?.email).toBeUndefined();
      expect(advice).toEqual([expect.stringMatching(/^stop: There are no addresses/)]);
    },
  );
});
