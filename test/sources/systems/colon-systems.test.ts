import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/sources/containers/table.ts';
import { choosePlan } from '../../../src/sources/pipeline/choose-plan.ts';
import { surveyFile } from '../../../src/sources/pipeline/survey-file.ts';
import type { Source } from '../../../src/sources/source.ts';
import { htdigest, htpasswd } from '../../../src/sources/systems/apache-files.ts';
import { dokuwiki } from '../../../src/sources/systems/dokuwiki.ts';
import { dovecot } from '../../../src/sources/systems/dovecot.ts';
import { shadow, smbpasswd } from '../../../src/sources/systems/unix.ts';
import { fileOf } from '../containers/read-whole.ts';
import { acceptedHash, readOne, readUsers, tableOf, tablesIn } from './read-users.ts';

const DOMAIN = { emailDomain: 'example.com' };
const NT = '0123456789ABCDEF0123456789ABCDEF';

const one = (source: Source, container: 'htpasswd' | 'htdigest' | 'dovecot' | 'dokuwiki' | 'smbpasswd') => {
  return (record: SourceRecord, settings: Record<string, string> = DOMAIN) =>
    readOne(source, tableOf(container, [{ name: 'ann', ...record }]), settings);
};
const [ofHtpasswd, ofHtdigest] = [one(htpasswd, 'htpasswd'), one(htdigest, 'htdigest')];
const [ofDovecot, ofDokuwiki] = [one(dovecot, 'dovecot'), one(dokuwiki, 'dokuwiki')];
const ofSmbpasswd = one(smbpasswd, 'smbpasswd');

describe('names and addresses', () => {
  it('a name takes the domain, an address stays', () => {
    expect(ofHtpasswd({ hash: '$apr1$x' }).email).toBe('ann@example.com');
    expect(ofHtpasswd({ name: 'ann@example.org', hash: '$apr1$x' }).email).toBe('ann@example.org');
    expect(ofHtpasswd({ hash: '$apr1$x' }, {}).email).toBeUndefined();
  });

  it.each([
    [['ann', 'bob'], ['stop: There are no addresses']],
    [['ann@x.org', 'bob'], ['warn: Some names in']],
    [['ann@x.org'], []],
  ])('what is said of %j', (names, said) => {
    const table = tableOf(
      'dovecot',
      names.map((name) => ({ name, hash: '{PLAIN}x' })),
    );
    expect(readUsers(dovecot, [table]).advice).toEqual(said.map((text) => expect.stringContaining(text)));
    expect(readUsers(dovecot, [table], { settings: DOMAIN }).advice).toEqual([]);
  });
});

describe.each([
  ['htpasswd', ofHtpasswd],
  ['dovecot', ofDovecot],
  ['dokuwiki', ofDokuwiki],
])('%s', (_, read) => {
  it.each(['', '*', '!', '!!', 'x'])('finds no hash in %j', (hash) => {
    expect(read({ hash }).password).toBeUndefined();
  });

  it.each(['!$6$s$h', '*$6$s$h', '!!$6$s$h'])('%s is locked', (hash) => {
    expect(read({ hash })).toMatchObject({ state: 'DISABLED', password: { encoded: '$6$s$h' } });
  });
});

it('htpasswd: a password in the clear is one only where nginx says so', () => {
  expect(ofHtpasswd({ hash: '{PLAIN}a:b' }).password).toEqual({ plainText: 'a:b' });
  expect(ofHtpasswd({ hash: 'secret' }).password).toEqual({ encoded: 'secret' });
});

it('htdigest: what is no digest is an error', () => {
  expect(ofHtdigest({ realm: 'r', hash: 'xyz' }).password).toMatchObject({
    problem: 'PASSWORD_HASH_INVALID',
  });
  expect(acceptedHash(ofHtdigest({ realm: '', hash: NT.toLowerCase() }).password).algorithm).toBe('htdigest');
});

describe('dovecot', () => {
  it.each(['nologin', 'nologin=y', 'userdb_mail=x NoLogin allow_nets=192.0.2.0/24', 'a=b\tnologin'])(
    'the extra fields %j disable',
    (extra) => {
      expect(ofDovecot({ hash: '{PLAIN}x', extra }).state).toBe('DISABLED');
    },
  );

  it('other extra fields do not', () => {
    expect(ofDovecot({ hash: '{PLAIN}x', extra: 'userdb_nologin=x proxy' }).state).toBeUndefined();
  });

  it.each(['disabled=y', 'proxy suspended', 'allow_nets=local status=off'])(
    'extra fields that Dovecot does not have are asked about: %s',
    (extra) => {
      expect(ofDovecot({ hash: '{PLAIN}x', extra }).state).toMatchObject({ column: 'extra' });
    },
  );

  it.each(['{SHA512-CRYPT}!$6$s$h', '!{SHA512-CRYPT}$6$s$h', '{SHA512-CRYPT}*$6$s$h'])(
    '%s is locked',
    (hash) => {
      expect(ofDovecot({ hash })).toMatchObject({
        state: 'DISABLED',
        password: { encoded: '{SHA512-CRYPT}$6$s$h' },
      });
    },
  );

  it('a password in the clear may begin with anything', () => {
    expect(ofDovecot({ hash: '{PLAIN}!x' })).toMatchObject({
      state: undefined,
      password: { encoded: '{PLAIN}!x' },
    });
  });

  it('nopassword, and a scheme without a hash, are no login', () => {
    expect(ofDovecot({ hash: '{PLAIN}x', extra: 'nopassword=y' }).password).toBeUndefined();
    expect(ofDovecot({ hash: '{PLAIN}' }).password).toBeUndefined();
    expect(ofDovecot({ hash: '{SSHA}*' }).password).toBeUndefined();
  });

  it('--set scheme is for hashes without one', () => {
    const settings = { ...DOMAIN, scheme: 'PLAIN-MD5' };
    const hash = NT.toLowerCase();
    expect(acceptedHash(ofDovecot({ hash }, settings).password).algorithm).toBe('dovecot');
    expect(ofDovecot({ hash: '{SSHA}ab' }, settings).password).toMatchObject({ encoded: '{SSHA}ab' });
  });

  it('warns of networks that users are bound to', () => {
    const table = tableOf('dovecot', [{ name: 'a@x.org', hash: '{PLAIN}x', extra: 'allow_nets=local' }]);
    expect(readUsers(dovecot, [table]).advice).toEqual([
      expect.stringContaining('warn: Some users may sign in'),
    ]);
  });
});

describe('smbpasswd', () => {
  it.each([
    ['U', undefined],
    ['UX', undefined],
    ['UL', undefined],
    ['DU', 'DISABLED'],
    ['UD', 'DISABLED'],
    ['', 'DISABLED'],
    ['X', 'DISABLED'],
    ['UQ', 'DISABLED'],
    ['NU', 'NO_LOGIN_METHOD'],
    ['NDU', 'NO_LOGIN_METHOD'],
    ['W', 'SERVICE_ACCOUNT'],
    ['S', 'SERVICE_ACCOUNT'],
    ['I', 'SERVICE_ACCOUNT'],
  ])('flags %j: %s', (flags, state) => {
    expect(ofSmbpasswd({ ntHash: NT, flags: flags.padEnd(11) }).state).toBe(state);
  });

  it.each(['X'.repeat(32), `NO PASSWORD${'X'.repeat(21)}`, `NO PASSWORD${'*'.repeat(21)}`])(
    '%s is no hash',
    (ntHash) => {
      expect(ofSmbpasswd({ ntHash, flags: 'U' }).password).toBeUndefined();
    },
  );

  it('counts LAN Manager hashes and passing locks', () => {
    const table = tableOf('smbpasswd', [
      { name: 'a', ntHash: NT, lmHash: NT, flags: 'UL' },
      { name: 'b', ntHash: NT, lmHash: 'X'.repeat(32), flags: 'U' },
    ]);
    const { dropped } = readUsers(smbpasswd, [table], { settings: DOMAIN });
    expect(dropped).toEqual({ 'further hashes': 1, 'temporary locks': 1 });
  });
});

describe('/etc/shadow with /etc/passwd', () => {
  const SHADOW = 'ann:$6$s$h:19000:0:99999:7:::\n';
  const read = async (shadowText: string, passwdText: string) => {
    const tables = (await Promise.all([shadowText, passwdText].map((text) => tablesIn(fileOf(text))))).flat();
    return readUsers(shadow, tables, { settings: DOMAIN });
  };
  const stateWith = async (line: string) =>
    (await read(SHADOW, `root:x:0:0:root:/root:/bin/sh\n${line}`)).users;

  it.each([
    ['ann:x:1:1:Ann B,room,,:/home/ann:/bin/sh', undefined],
    ['ann:x:1:1:Ann B::', undefined],
    ['ann:x:1:1:Ann B:/home/ann:/usr/sbin/nologin', 'DISABLED'],
    ['ann:x:1:1:Ann B:/home/ann:/bin/false', 'DISABLED'],
    ['ann:*:1:1:Ann B:/home/ann:/bin/sh', 'NO_LOGIN_METHOD'],
    ['ann::1:1:Ann B:/home/ann:/bin/sh', 'NO_LOGIN_METHOD'],
    ['bob:x:1:1:Bob:/home/bob:/bin/sh', 'DISABLED'],
  ])('%s', async (line, state) => {
    const users = await stateWith(line);
    expect(users).toHaveLength(1);
    expect(users[0]).toMatchObject({ externalUserId: 'ann', state });
    if (state === undefined) expect(users[0]?.metadata).toEqual({ name: 'Ann B', uid: '1' });
  });

  it.each([
    ['18000:0:90:7:30::', 'DISABLED'],
    ['18000:0:90:7:::', undefined],
    ['18000:0:99999:7:30::', undefined],
    ['0:0:90:7:30::', undefined],
    ['18000:0:90:7::1:', 'DISABLED'],
  ])('an account of %s', async (days, state) => {
    const { users } = await read(`ann:$6$s$h:${days}\n`, 'ann:x:1:1:Ann B:/home/ann:/bin/sh\n');
    expect(users.map((user) => user.state)).toEqual([state]);
  });

  it.each([
    ['', undefined],
    ['/usr/local/bin/Zsh', undefined],
    ['/bin/true', 'DISABLED'],
    ['/dev/null', 'DISABLED'],
    ['/nonexistent', 'DISABLED'],
    ['/sbin/NOLOGIN', 'DISABLED'],
    ['/bin/noshell', 'DISABLED'],
    ['/opt/nologin.sh', { column: 'passwd.shell', word: '/opt/nologin.sh' }],
  ])('an account with the shell %s', async (shell, state) => {
    const { users } = await read('ann:$6$s$h:18000:0:99999:7:::\n', `ann:x:1:1:Ann B:/home/ann:${shell}\n`);
    expect(users.map((user) => user.state)).toEqual([state]);
  });

  it('a hash that stands in /etc/passwd counts, also of a name that /etc/shadow has not', () => {
    const tables = [
      tableOf('shadow', [{ name: 'ann', hash: '$6$s$h' }]),
      tableOf('passwd', [
        { name: 'ann', hash: '$1$s$p', shell: '/bin/sh' },
        { name: 'bob', hash: '$1$s$q', shell: '/bin/sh' },
        { name: 'carl', hash: 'x', shell: '/bin/sh' },
      ]),
    ];
    const { users } = readUsers(shadow, tables, { settings: DOMAIN });
    expect(users.map(({ externalUserId, password }) => [externalUserId, password])).toEqual([
      ['ann', { encoded: '$1$s$p', algorithm: 'md5-crypt' }],
      ['bob', { encoded: '$1$s$q', algorithm: 'md5-crypt' }],
    ]);
  });

  it('/etc/passwd alone is refused, and says what is missing', async () => {
    const survey = await surveyFile(fileOf('ann:x:1:1::/:/bin/sh\n'), {});
    expect(choosePlan([survey], { settings: DOMAIN })).toEqual({
      noPlan: expect.stringMatching(/\/etc\/passwd without hashes.*Name both files\.$/),
    });
  });

  it('/etc/passwd alone is read if it holds hashes', async () => {
    const survey = await surveyFile(fileOf('ann:$1$s$h:1:1:Ann:/:/bin/sh\n'), { format: 'passwd' });
    const plan = choosePlan([survey], { settings: DOMAIN });
    expect('noPlan' in plan ? plan.noPlan : plan.forms.map(({ name }) => name)).toEqual(['passwd']);
  });

  it('without /etc/passwd it says what that would tell', async () => {
    const survey = await surveyFile(fileOf(SHADOW), {});
    const plan = choosePlan([survey], { settings: DOMAIN });
    expect('noPlan' in plan ? [] : plan.advice).toEqual([
      expect.objectContaining({
        level: 'stop',
        text: expect.stringContaining('The table passwd is not in the export'),
      }),
    ]);
  });

  it('master.passwd of the BSDs', async () => {
    const line = (hash: string, expires: string, shell = '/bin/sh') =>
      `ann:${hash}:1001:1001::0:${expires}:Ann B:/home/ann:${shell}\n`;
    const stateOf = async (text: string) =>
      readUsers(shadow, await tablesIn(fileOf(text)), { settings: DOMAIN }).users[0];
    expect(await stateOf(line('$6$s$h', '0'))).toMatchObject({
      state: undefined,
      metadata: { name: 'Ann B', uid: '1001' },
    });
    expect((await stateOf(line('$6$s$h', '946684800')))?.state).toBe('DISABLED');
    expect((await stateOf(line('$6$s$h', '4102444800')))?.state).toBeUndefined();
    expect((await stateOf(line('$6$s$h', '0', '/usr/sbin/nologin')))?.state).toBe('DISABLED');
    expect(await stateOf(line('*LOCKED*$6$s$h', '0'))).toMatchObject({
      state: 'DISABLED',
      password: { encoded: '$6$s$h' },
    });
  });
});
